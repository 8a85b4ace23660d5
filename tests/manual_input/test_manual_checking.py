"""What `scanner config validate` shows, and what is published."""

from jsonschema import Draft202012Validator

from manual_input.json_cursor import example, schema
from manual_input.loader import Severity, Summary, check


def test_example_is_valid_and_uses_every_part(write) -> None:
    """It is what people copy."""
    result = check([write("example.json", example())])

    assert result.valid
    assert not result.rows
    (summary,) = result.summaries
    assert summary == Summary(
        cluster="retail", files=1, brokers=2, topics=5, schemas=5, assignments=3, flows=5, owners=2
    )


def test_published_schema_is_a_schema() -> None:
    """Editors and validators of others must be able to load it."""
    assert Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema())


def members(value, path="$"):
    if isinstance(value, dict):
        for key, member in value.get("properties", {}).items():
            yield f"{path}.{key}", member
        for key, inner in value.items():
            yield from members(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner, path)


def test_every_member_states_what_it_is() -> None:
    """Whoever completes a member in an editor reads its description there, and sees an example."""
    definitions = schema()["$defs"]
    whole = [
        (path, definitions[member["$ref"].rpartition("/")[2]] | member if "$ref" in member else member)
        for path, member in members(schema())
    ]

    assert [path for path, member in whole if not (member.get("description") and member.get("examples"))] == []
    assert whole


def test_errors_and_warnings_are_rows(write) -> None:
    """Errors of a file stand before its warnings, and files in their order."""
    first = write("b.json", {"topics": ["!"], "flows": [{"from": "x", "to": "y"}]})
    second = write("a.json", {"topics": 5})

    result = check([first, second])

    assert not result.valid
    assert [(row.severity, row.where.rpartition("/")[2]) for row in result.rows] == [
        (Severity.ERROR, "b.json:1:13 $.topics[0]"),
        (Severity.WARNING, "b.json:1:38 $.flows[0].from"),
        (Severity.WARNING, "b.json:1:49 $.flows[0].to"),
        (Severity.ERROR, "a.json:1:12 $.topics"),
    ]


def test_files_of_several_clusters_are_checked_apart(write) -> None:
    """Two clusters may each have a topic of the same name."""
    files = [write(f"{name}.json", {"cluster": name, "topics": ["orders"]}) for name in ("b", "a")]

    result = check(files)

    assert result.valid
    assert [(summary.cluster, summary.topics) for summary in result.summaries] == [("a", 1), ("b", 1)]
