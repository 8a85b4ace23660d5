"""The report of a scan: what people must not miss, in the order in which they need it."""

from dataclasses import replace
from types import SimpleNamespace

from scanner_api.scanning.clusters import ScanReport
from scanner_cli.output.scan_report import loss_text, report_document, report_text, scan_status
from scanner_cli.usage_errors import Exit
from scanner_model.declarations import UNREAD_HINT
from scanner_model.errors import Problem
from scanner_model.names import SourceId
from scanner_model.scan import SourceResult, SourceStatus

SOURCE = SourceId("ksqldb:http://k")


def report(answer: SourceStatus = SourceStatus.READ, **more: object) -> ScanReport:
    outcome = SourceResult(
        source=SOURCE, kind="ksqldb", status=answer, reason="silent", hint="wake it", unread=frozenset("ba")
    )
    members = {"cluster": "c", "scan": 7, "counts": (), "changes": (), "problems": (), "seconds": 1.23456} | more
    return ScanReport(outcomes=(outcome,), **members)


def test_what_could_not_be_read_is_reported_with_the_next_step() -> None:
    """The table alone shows only that something is missing."""
    text = report_text(report(SourceStatus.PARTIAL))

    assert "partial: ksqldb:http://k: silent (wake it)\n" in text


def test_a_quiet_scan_reports_only_what_could_not_be_read() -> None:
    """A scheduler mails the output; an exit status alone names no source."""
    assert loss_text(report()) == ""
    assert loss_text(report(SourceStatus.UNAVAILABLE, scan=None)).splitlines() == [
        "unavailable: ksqldb:http://k: silent (wake it)",
        "c: no source could be read; nothing was stored, the dictionary is as it was",
    ]


def test_a_source_is_named_once() -> None:
    """Its errors name it, too."""
    outcome = replace(report(SourceStatus.PARTIAL).outcomes[0], reason=f"{SOURCE}: silent")

    assert loss_text(replace(report(), outcomes=(outcome,))).startswith("partial: ksqldb:http://k: silent (wake it)\n")


def test_files_that_are_not_read_are_reported_by_rule() -> None:
    """A repository may have hundreds of them, each with the same sentence."""
    problems = tuple(Problem(f"file {name}", "template: render it", UNREAD_HINT) for name in "abc")
    rule = SimpleNamespace(rule="unread-file", severity="warning", where="file a", what="template: render it")
    text = report_text(report(problems=problems, findings=(rule, rule, rule)))

    assert text.count("render it") == 1
    assert (
        "warning: unread-file: file a: template: render it, and 2 more: `scanner validate --rule unread-file`\n" in text
    )
    assert report_text(report(problems=problems)).count("render it") == 1


def test_more_warnings_than_people_read_are_counted() -> None:
    """The rest is in the dictionary."""
    problems = tuple(Problem(f"place {number}", f"is odd: {number}") for number in range(23))
    text = report_text(report(problems=problems))

    assert text.count("warning: ") == 20
    assert "and 3 more warnings: see `scanner changes --scans 7 --problems`\n" in text
    assert "see --report\n" in report_text(report(problems=problems, scan=None))


def test_a_warning_of_many_places_is_one_line() -> None:
    """Eleven lines of one sentence hide the twelfth, which is another."""
    same = tuple(Problem(f"{name}.json:1:1", "'a' is written twice", "keep one") for name in "abc")
    text = report_text(report(problems=(*same, Problem("d.json", "invalid JSON"))))

    where = "and in 2 more places: see `scanner changes --scans 7 --problems`"
    assert f"warning: a.json:1:1: 'a' is written twice (keep one), {where}\n" in text
    assert "warning: d.json: invalid JSON\n" in text


def test_an_empty_source_is_no_failure() -> None:
    """It responded that there is nothing."""
    assert report_text(report()).endswith("c: scan 7 stored in 1.2 s: nothing found; nothing changed\n")
    assert scan_status(report()) is Exit.DONE


def test_document_rounds_seconds_and_sorts_what_is_not_ordered() -> None:
    """Same scan, same document."""
    document = report_document(report(counts=(("consumer groups", 2),)))

    assert document["seconds"] == 1.235
    assert document["sources"][0]["unread"] == ["a", "b"]
    assert document["counts"] == {"consumer_groups": 2}


def test_status_shows_whether_something_is_missing() -> None:
    """Scripts go by it."""
    assert scan_status(report(SourceStatus.PARTIAL)) is Exit.PARTIAL
    assert scan_status(report(SourceStatus.UNAVAILABLE, scan=None)) is Exit.FAILED
    assert scan_status(report(SourceStatus.SKIPPED, scan=None)) is Exit.DONE
