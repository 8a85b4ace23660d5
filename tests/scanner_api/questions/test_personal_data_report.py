"""Tests for the report of who may read personal data."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

import changing_installation as changing
import pytest

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api import Dictionary
from scanner_api.documents.personal_data_page import csv_lines, html_lines
from scanner_api.questions.personal_data_report import PersonalDataReport
from scanner_dictionary.write.scan import write_scan
from scanner_model.clients import AclAuthorizer, AclRule
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import SourceId
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Definition
from scanner_model.tag_decisions import Decision, TagDecision

BROKERS = changing.SOURCES["kafka"]


def rule(text: str, source: SourceId = BROKERS) -> AclRule:
    """Return the rule of a line: `ALLOW User:a READ LITERAL orders`, from any host or from `@HOST`."""
    permission, principal, operation, kind, name, *host = text.split()
    members = {"principal": principal, "operation": operation, "pattern_type": kind, "name": name}
    return AclRule(source=source, permission=permission, host=host[0][1:] if host else "*", **members)


def _tagged(column: Column, renamed: Mapping[str, str]) -> Column:
    tags = ("PII",) if column.name == "name" else ()
    return replace(column, tags=tags, path=(renamed.get(column.name, column.name),))


class Estate:
    """A dictionary with `a.orders` (name is PII), copied by a query into `b.paid`, and its rules of access."""

    def __init__(self, file: Path) -> None:
        self.dictionary = Dictionary(str(file))
        self._day = 0

    def scan(
        self,
        *rules: str,
        source: SourceId = BROKERS,
        supers: tuple[str, ...] = (),
        authorizer: str = "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        down: str = "",
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Scan the estate with *rules*; *down* is the kind of a source that does not answer."""
        self._day += 1
        scan = changing.scan_of(changing.installation(topics=("a.orders", "b.paid"), groups=["a.orders"]))
        definitions = [
            replace(each, columns=tuple(_tagged(c, renamed) for c in each.columns)) for each in scan.of(Definition)
        ]
        access = [rule(text, source) for text in rules]
        authorizers = (
            [AclAuthorizer(source=BROKERS, active=True, super_users=supers, class_name=authorizer)]
            if rules and source == BROKERS
            else []
        )
        decision = TagDecision(
            source=changing.SOURCES["manual"],
            dataset="a.orders",
            column_name="nowhere",
            tag="PII",
            decision=Decision.ACCEPTED,
            decided_by="ann",
            decided_on="2026-01-01",
        )
        facts = {Definition: definitions, AclRule: access, AclAuthorizer: authorizers, TagDecision: [decision]}
        scan = scan.with_facts({**scan.by_type, **{kind: tuple(listed) for kind, listed in facts.items()}})
        outcomes = (
            replace(each, status=SourceStatus.UNAVAILABLE, reason="refused") if each.kind == down else each
            for each in scan.outcomes
        )
        at = datetime(2026, 1, self._day, tzinfo=UTC)
        engine = self.dictionary.writing()
        write_scan(engine, replace(scan, outcomes=tuple(outcomes)), started=at, finished=at)
        generate(engine)
        engine.dispose()

    def report(self, **named: str) -> PersonalDataReport:
        return scanner_api.personal_data_report(self.dictionary, **named)

    def pairs(self, **named: str) -> set[tuple[str, str]]:
        """Return who is permitted to read which column."""
        rows = self.report(**named).access
        return {(row.principal, f"{row.dataset}.{row.column}") for row in rows if row.access == "permitted"}


@pytest.fixture
def estate(empty, tmp_path) -> Estate:
    return Estate(Path(shutil.copy(empty, tmp_path / "dictionary.db")))


RULES = (
    "ALLOW User:bi READ LITERAL a.orders",
    "ALLOW User:team-b ALL PREFIXED b.",
    "ALLOW User:ops READ LITERAL *",
    "DENY User:ops READ PREFIXED b.p",
    "ALLOW User:writer WRITE LITERAL a.orders",
    "ALLOW User:near READ LITERAL b.paid @10.0.0.1",
    "DENY User:team-b READ LITERAL b.other",
)


def test_each_principal_is_paired_with_the_columns_that_it_may_read(estate) -> None:
    """By name, by prefix and by wildcard; a denial wins, a writer does not read, a super user reads all."""
    estate.scan(*RULES, supers=("User:admin",))

    assert estate.pairs() == {
        ("User:admin", "a.orders.name"),
        ("User:admin", "b.paid.name"),
        ("User:bi", "a.orders.name"),
        ("User:ops", "a.orders.name"),
        ("User:near", "b.paid.name"),
        ("User:team-b", "b.paid.name"),
    }
    assert estate.report().rules_read
    hosts = {row.principal: row.how for row in estate.report().access if row.principal in ("User:near", "User:team-b")}
    assert hosts == {"User:near": "from some hosts only", "User:team-b": "from any host"}


def test_who_reads_is_listed_beside_who_may(estate) -> None:
    estate.scan(*RULES)

    readers = {(row.dataset, row.column, row.principal) for row in estate.report().access if row.access == "reads"}
    assert ("a.orders", "name", "consumer-group people") in readers


def test_job_whose_flows_are_known_is_a_reader(estate) -> None:
    """It receives the whole record; that its copies are listed does not say who reads the original."""
    estate.scan(*RULES)

    kinds = {(row.dataset, row.principal.split()[0]) for row in estate.report().access if row.access == "reads"}
    assert {("a.orders", "ksqldb"), ("b.paid", "connector")} <= kinds


def test_column_that_looks_personal_is_listed_with_the_reason(estate) -> None:
    """The one who signs has to see what was not decided, not only how many there are."""
    estate.scan(*RULES, renamed={"amount": "email"})
    report = estate.report()

    (undecided,) = (each for each in report.undecided if each.dataset == "a.orders")
    assert (undecided.column, "email" in undecided.why) == ("email", True)
    page = "".join(html_lines(report))
    assert "<h2>Look personal, and not decided</h2>" in page
    row = next(line for line in csv.reader(io.StringIO("".join(csv_lines(report)))) if line[2] == "email")
    assert (row[4], row[7]) == ("suggested", "unknown")


def test_copies_outside_are_listed_and_who_may_read_them_is_unknown(estate) -> None:
    estate.scan(*RULES)

    outside = [row for row in estate.report().access if row.outside]
    assert {row.dataset.rpartition(".")[2] for row in outside} == {"landed"}
    assert {(row.access, row.principal) for row in outside} == {("unknown", "")}


def test_report_without_rules_says_so_first(estate) -> None:
    """No row does not mean that nobody may read."""
    estate.scan()
    report = estate.report()

    assert not report.rules_read
    assert report.unknown[0].startswith("No rules of access were read for cluster shop")
    assert {row.access for row in report.access} == {"unknown", "reads"}
    page = "".join(html_lines(report))
    assert page.index("Rules of access were not read") < page.index("<table>")
    assert list(csv.reader(io.StringIO("".join(csv_lines(report)))))[1][9].startswith("No rules of access were read")


def test_authorizer_that_also_knows_role_bindings_leaves_every_column_unknown(estate) -> None:
    """The rules that brokers list are then not all that permits."""
    name = "io.confluent.kafka.security.authorizer.ConfluentServerAuthorizer"
    estate.scan(*RULES, authorizer=name)
    report = estate.report()

    assert report.unknown[0] == (
        f"More may read the topics of cluster shop: its brokers decide by {name}, "
        "and role bindings, groups and policies were not read."
    )
    assert not report.rules_read
    columns = {(row.dataset, row.column) for row in report.access if not row.outside}
    assert columns == {(row.dataset, row.column) for row in report.access if row.access == "unknown" and row.source}
    assert ("User:bi", "a.orders.name") in estate.pairs()


def test_hidden_authorizer_is_said_and_kafkas_own_is_not(estate) -> None:
    estate.scan(*RULES, authorizer="")
    assert "do not show their authorizer" in estate.report().unknown[0]

    estate.scan(*RULES)
    assert not any("authorizer" in text for text in estate.report().unknown)


def test_members_of_a_group_that_may_read_are_unknown(estate) -> None:
    estate.scan(*RULES, "ALLOW Group:analysts READ LITERAL a.orders")

    assert ("Group:analysts", "a.orders.name") in estate.pairs()
    assert any(text.startswith("Members of Group:analysts in cluster shop") for text in estate.report().unknown)


def test_rules_of_files_are_not_all_rules(estate) -> None:
    """Brokers may have more of them."""
    estate.scan(*RULES, source=changing.SOURCES["manual"])
    report = estate.report()

    assert not report.rules_read
    assert ("User:bi", "a.orders.name") in estate.pairs()
    assert any(row.access == "unknown" and row.dataset == "a.orders" for row in report.access)
    assert "manual:x declares some" in report.unknown[0]


def test_source_that_was_not_read_is_named_with_the_reason(estate) -> None:
    estate.scan(*RULES)
    estate.scan(*RULES, down="connect")
    report = estate.report()

    assert not report.complete
    assert [(row.source, row.reason) for row in report.sources if row.reason] == [("connect:x", "refused")]
    assert "connect:x of cluster shop was not read completely: refused." in report.unknown


def test_decision_on_a_missing_column_is_a_finding(estate) -> None:
    estate.scan(*RULES)

    (finding,) = estate.report().findings
    assert "nowhere" in finding.where + finding.what


def test_report_is_of_the_scan_that_is_asked_for(estate) -> None:
    estate.scan("ALLOW User:then READ LITERAL a.orders")
    estate.scan("ALLOW User:now READ LITERAL a.orders")

    assert estate.pairs(as_of="1") == {("User:then", "a.orders.name")}
    assert estate.report(as_of="2026-01-01").scan == 1
    assert estate.pairs() == {("User:now", "a.orders.name")}
    with pytest.raises(NameUnknown, match="no scan was finished"):
        estate.report(as_of="2025-01-01")


@pytest.mark.parametrize("ending", ["html", "csv"])
def test_file_is_private_and_names_of_others_stay_text(estate, tmp_path, ending) -> None:
    estate.scan("ALLOW =HYPERLINK(1) READ LITERAL a.orders", "ALLOW User:<script>x</script> READ LITERAL a.orders")
    file = tmp_path / f"report.{ending}"
    scanner_api.write_personal_data_report(estate.report(), file)

    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text("utf-8")
    assert "<script>" not in text or ending == "csv"
    assert not any(cell.startswith("=") for line in csv.reader(io.StringIO(text)) for cell in line)


def test_columns_that_the_same_may_read_are_one_row_below_their_dataset(estate) -> None:
    estate.scan("ALLOW User:bi READ LITERAL a.orders")
    report = estate.report()
    more = (row._replace(column="mail") for row in report.access)
    page = "".join(html_lines(replace(report, access=(*report.access, *more))))
    section = page[page.index("<h3>a.orders ") :].partition("</table>")[0]

    assert section.count("permitted: User:bi") == 1
    assert "name<br>mail" in section


def test_other_ending_is_an_error_that_names_the_way_to_a_pdf(estate, tmp_path) -> None:
    estate.scan()

    with pytest.raises(InputInvalid) as caught:
        scanner_api.write_personal_data_report(estate.report(), tmp_path / "report.pdf")
    assert "print it to PDF" in caught.value.hint
