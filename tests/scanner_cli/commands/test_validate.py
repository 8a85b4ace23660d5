"""`scanner validate`: what it shows, and when it fails."""


def test_findings_are_shown_with_their_next_step(scanned, scanner) -> None:
    """The answer is on stdout; what to do stands beside it."""
    said = scanner("validate", "--dictionary", scanned.dictionary)

    assert said.status == 0
    assert "topic-without-schema" in said.out
    assert "topic-without-schema: register one" in said.err


def test_strict_fails_where_anything_is_found(scanned, scanner) -> None:
    """So that a pipeline can stop on it; a rule that finds nothing does not."""
    assert scanner("validate", "--strict", "--dictionary", scanned.dictionary).status == 3
    assert scanner("validate", "--strict", "--rule", "failed-table", "--dictionary", scanned.dictionary).status == 0


def test_unknown_rule_is_refused_with_the_nearest(scanned, scanner) -> None:
    """A typing error must not look like a sound installation."""
    said = scanner("validate", "--rule", "failed-conector", "--dictionary", scanned.dictionary)

    assert said.status == 2
    assert "failed-connector" in said.err


def test_findings_as_json_name_all_their_members(scanned, scanner) -> None:
    """Documented in docs/json.md."""
    said = scanner("validate", "--format", "json", "--dictionary", scanned.dictionary)

    assert {tuple(finding) for finding in said.json} == {("cluster", "severity", "rule", "where", "what", "hint")}
