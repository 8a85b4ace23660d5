"""`scanner validate`: what it shows, and when it fails."""


def test_findings_are_shown_with_their_next_step(scanned, scanner) -> None:
    """The findings are on stdout, the next steps on stderr."""
    result = scanner("validate", "--dictionary", scanned.dictionary)

    assert result.status == 0
    assert "topic-without-schema" in result.out
    assert "topic-without-schema: register one" in result.err


def test_strict_fails_where_there_is_a_finding(scanned, scanner) -> None:
    """So that a pipeline can stop on it; a rule that finds nothing does not."""
    assert scanner("validate", "--strict", "--dictionary", scanned.dictionary).status == 3
    assert scanner("validate", "--strict", "--rule", "failed-table", "--dictionary", scanned.dictionary).status == 0


def test_unknown_rule_is_refused_with_the_nearest(scanned, scanner) -> None:
    """A typing error must not look like a clean result."""
    result = scanner("validate", "--rule", "failed-conector", "--dictionary", scanned.dictionary)

    assert result.status == 2
    assert "failed-connector" in result.err


def test_findings_as_json_name_all_their_members(scanned, scanner) -> None:
    """Documented in docs/json.md."""
    result = scanner("validate", "--format", "json", "--dictionary", scanned.dictionary)

    assert {tuple(finding) for finding in result.json} == {("cluster", "severity", "rule", "where", "what", "hint")}
