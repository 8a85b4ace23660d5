"""Lists in groups: what is the same is said once, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scanner_cli.output.groups import finding_groups, personal_groups, show_groups

EMPTY = {"cluster": "shop", "tag": "PII", "flow": "", "origin": "", "outside": False, "reader": "", "owner": ""}


def personal(found: str, column: str, **others: object) -> dict[str, object]:
    return {**EMPTY, "dataset": "orders", "column": column, "found": found, "why": [], **others}


def finding(rule: str, where: str, what: str, *, cluster: str = "shop", hint: str = "") -> dict[str, str]:
    return {"cluster": cluster, "severity": "warning", "rule": rule, "where": where, "what": what, "hint": hint}


def test_each_way_to_know_of_personal_data_has_a_heading_with_its_count(capsys) -> None:
    rows = [
        personal("declared", "email"),
        personal("inherited", "mail", origin="orders.email", flow="copied"),
        personal("suggested", "iban", why=["account: its name has 'iban'"]),
        personal("read", "email", reader="consumer-group billing"),
    ]

    show_groups(personal_groups(rows, wide=False))

    headings = [line for line in capsys.readouterr().out.splitlines() if ": " in line and "  " not in line]
    assert headings == ["Tagged: 1", "Copies of tagged columns: 1", "Look personal, not decided: 1", "Read by: 1"]


def test_two_subjects_with_the_same_suggestion_are_one_row() -> None:
    """A reader cannot tell the rows apart."""
    rows = [personal("suggested", "iban", why=["its name has 'iban'"])] * 2

    (group,) = personal_groups(rows, wide=False)

    assert group.heading == "Look personal, not decided: 1"


def test_a_second_cluster_or_tag_is_shown() -> None:
    rows = [personal("declared", "email"), personal("declared", "email", cluster="eu", tag="GDPR")]

    (group,) = personal_groups(rows, wide=False)

    assert {"cluster", "tag"} <= set(group.columns)
    assert len(group.rows) == 2


def test_a_local_file_has_the_name_that_lineage_knows(capsys) -> None:
    show_groups(personal_groups([personal("declared", "email", dataset="file//tmp/orders.txt")], wide=False))

    assert "file:///tmp/orders.txt" in capsys.readouterr().out


def test_what_all_findings_of_a_rule_have_in_common_is_said_once(capsys) -> None:
    rows = [finding("topic-without-schema", f"topic {name}", "no schema", hint="register one") for name in "ab"]

    show_groups(finding_groups(rows))

    assert capsys.readouterr().out == (
        "warning topic-without-schema (2): no schema\n  topic a\n  topic b\n  → register one\n"
    )


_TEXTS = st.text("abc\x1b[\n", min_size=1, max_size=5)


@given(st.lists(st.tuples(st.sampled_from(["r1", "r2"]), _TEXTS, _TEXTS, st.sampled_from(["x", "y"]))))
def test_no_finding_is_lost(rows: list[tuple[str, str, str, str]]) -> None:
    """Rules arrive in groups; each finding is a row of one of them, and the texts of others stay in their lines."""
    rows = sorted(rows)
    groups = list(finding_groups([finding(rule, where, what, cluster=at) for rule, where, what, at in rows]))

    assert sum(len(group.rows) for group in groups) == len(rows)
    assert all("\n" not in group.heading for group in groups)
