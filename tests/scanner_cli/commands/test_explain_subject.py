"""`scanner explain subject`: which topic a subject describes, and why."""


def test_document_has_the_documented_members(scanner) -> None:
    """Programs rely on them."""
    (row,) = scanner("explain", "subject", "orders-value", "--format", "json").json

    assert {"subject", "context", "candidates", "chosen", "ambiguous"} <= row.keys()
    assert row["chosen"] == {"topic": "orders", "role": "value", "record": None, "strategy": "topic"}


def test_a_declared_subject_may_have_several_topics(scanner) -> None:
    """A row for each."""
    maps = ("--map", "com.acme.Payment=payments", "--map", "com.acme.Payment=refunds")
    lines = scanner("explain", "subject", "com.acme.Payment", *maps).out.splitlines()

    assert [line.split()[2] for line in lines[1:]] == ["payments", "refunds"]


def test_a_subject_without_topic_has_a_row(scanner) -> None:
    """That nothing was found is an answer."""
    results = scanner("explain", "subject", "com.acme.Payment", "--strategy", "topic", "--format", "csv")

    assert results.status == 0
    assert results.out.splitlines()[1].startswith("com.acme.Payment,.,,")


def test_other_readings_are_shown(scanner) -> None:
    """So that people see what else the name might mean."""
    results = scanner(
        "explain", "subject", "a-b-value", "--topic", "a-b", "--strategy", "topic", "--strategy", "topic-record"
    )

    assert results.status == 0
    assert "ALSO POSSIBLE" in results.out


def test_wrong_input_is_one_line(scanner) -> None:
    """With the nearest name."""
    results = [
        scanner("explain", "subject", "a", "--strategy", "tpic"),
        scanner("explain", "subject", "a", "--map", "b"),
        scanner("explain", "subject", "a", "--registry", "glu"),
    ]

    assert [result.status for result in results] == [2, 2, 2]
    assert [result.err.count("\n") for result in results] == [1, 1, 1]
    assert "did you mean 'topic'?" in results[0].err
    assert "did you mean 'glue'?" in results[2].err
