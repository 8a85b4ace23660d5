"""The report of a check in the formats of CI systems: GitHub's annotations, GitLab's code quality, SARIF, JUnit."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_check.rows.table import RULES
from scanner_cli import library
from scanner_cli.output.change_answer import acceptance, page
from scanner_cli.output.change_report import affected_text, message, place_in_files, relative
from scanner_model.text import visible, visible_json

Json = Any

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LINK = re.compile(r"\[(?=[^\[\]]*+\]\()")
_MOST_AFFECTED = 20
_MOST_SKIPPED = 50

_GITHUB = {Verdict.BREAKS: "error", Verdict.IMPACT: "error", Verdict.UNKNOWN: "warning", Verdict.FINE: "notice"}
_GITLAB = {Verdict.BREAKS: "critical", Verdict.IMPACT: "major", Verdict.UNKNOWN: "minor", Verdict.FINE: "info"}
_SARIF = {Verdict.BREAKS: "error", Verdict.IMPACT: "error", Verdict.UNKNOWN: "warning", Verdict.FINE: "note"}


def github_annotations(report: ChangeReport) -> str:
    """Return workflow commands, a line each, the most serious first: GitHub shows ten of each level a step."""
    lines = [_annotation(finding, report) for finding in library.ordered(report.findings)]
    if report.skipped:
        listed = (f"{file}: {why}" for file, why in report.skipped[:_MOST_SKIPPED])
        text = "\n".join([f"{len(report.skipped)} files were not checked", *listed])
        lines.append(f"::notice title=not checked::{_data(text)}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: ChangeFinding, report: ChangeReport) -> str:
    place = place_in_files(finding, report)
    level = "notice" if finding.accepted else _GITHUB[finding.verdict]
    title = f"{finding.rule} {finding.item}".strip()
    values = {"file": relative(place.file), "line": place.line, "col": place.column, "title": title}
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in values.items() if value)
    affected = [affected_text(affected_node) for affected_node in finding.affected[:_MOST_AFFECTED]]
    return f"::{level} {listed}::{_data(chr(10).join([message(finding), *affected, *_next(finding)]))}"


def _next(finding: ChangeFinding) -> list[str]:
    """Return what to do, the page of the rule, and how to accept the finding."""
    if not finding.counts:
        return []
    return [f"help: {RULES[finding.rule].help}", f"rule: {page(finding.rule)}", f"accept: {acceptance(finding)}"]


def _data(text: str) -> str:
    """Escape the text of a workflow command (actions/toolkit, packages/core, command.ts)."""
    return visible(text, lines=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def gitlab_code_quality(report: ChangeReport) -> str:
    """Return the findings as issues of GitLab's code quality report; accepted ones are left out.

    Fingerprints are unique: a merge request shows what its base does not have.
    """
    issues = [
        {
            "description": "; ".join([message(finding), *_next(finding)]),
            "check_name": finding.rule,
            "fingerprint": finding.fingerprint,
            "severity": _GITLAB[finding.verdict],
            "location": {"path": relative(place.file), "lines": {"begin": place.line}},
        }
        for finding in library.ordered(report.findings)
        if not finding.accepted and (place := place_in_files(finding, report)).file
    ]
    return visible_json(list({issue["fingerprint"]: issue for issue in issues}.values())) + "\n"


def sarif(report: ChangeReport) -> str:
    """Return the findings as SARIF 2.1.0, for code scanning; accepted ones are suppressed."""
    used = list(dict.fromkeys(finding.rule for finding in report.findings))
    rules = [_sarif_rule(rule) for rule in used]
    driver = {"name": "scanner", "version": version("kafka-lineage-scanner"), "rules": rules}
    skipped = [
        {"level": "note", "message": {"text": _sarif_text(f"{relative(file)} was not checked: {why}")}}
        for file, why in report.skipped
    ]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": skipped}],
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(finding, report) for finding in library.ordered(report.findings)],
    }
    return visible_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _sarif_rule(rule: str) -> dict[str, Json]:
    row, address = RULES[rule], page(rule)
    described = {"id": rule, "shortDescription": {"text": row.meaning}, "help": {"text": row.help}}
    return {**described, "helpUri": address} if "://" in address else described


def _sarif_text(text: str) -> str:
    """Return *text* without links of its own: a plain message may hold `[text](target)` (SARIF 2.1.0, 3.11.6)."""
    if not _LINK.search(text):
        return text
    return _LINK.sub(r"\\[", text.replace("\\", r"\\"))


def _sarif_result(finding: ChangeFinding, report: ChangeReport) -> dict[str, Json]:
    place = place_in_files(finding, report)
    result: dict[str, Json] = {
        "ruleId": finding.rule,
        "level": _SARIF[finding.verdict],
        "message": {"text": _sarif_text("\n".join([message(finding), *_next(finding)]))},
        "partialFingerprints": {"scanner/v1": finding.fingerprint},
        "properties": {
            "verdict": str(finding.verdict),
            "affected": [affected_text(affected) for affected in finding.affected],
            "tags": list(finding.tags),
        },
    }
    if place.file:
        region = {"startLine": place.line, "startColumn": place.column}
        location = {"artifactLocation": {"uri": quote(relative(place.file))}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def junit(report: ChangeReport) -> str:
    """Return a suite of each file with a case of each finding: failures, errors where unknown, skips where accepted.

    A file without a finding is a case that passes, one that was not checked is skipped.
    """
    suites = ElementTree.Element("testsuites", name="scanner check")
    places = [(place_in_files(finding, report).file, finding) for finding in library.ordered(report.findings)]
    for file in dict.fromkeys([*(checked.file for checked in report.files), *(file for file, _ in places)]):
        findings = [finding for other, finding in places if other == file]
        counted = [finding for finding in findings if finding.counts]
        errors = sum(finding.verdict is Verdict.UNKNOWN for finding in counted)
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=_xml(relative(file)),
            tests=str(len(findings) or 1),
            failures=str(len(counted) - errors),
            errors=str(errors),
            skipped=str(sum(bool(finding.accepted) for finding in findings)),
        )
        for finding in findings:
            _junit_case(suite, file, finding)
        if not findings:
            ElementTree.SubElement(suite, "testcase", classname=_xml(relative(file)), name="check-change")
    for skipped in report.skipped:
        _junit_skipped(suites, relative(skipped.file), skipped.why)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _junit_skipped(suites: ElementTree.Element, file: str, why: str) -> None:
    counts = {"tests": "1", "failures": "0", "errors": "0", "skipped": "1"}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _xml(file), **counts})
    case = ElementTree.SubElement(suite, "testcase", classname=_xml(file), name="check-change")
    ElementTree.SubElement(case, "skipped", message=_xml(why))


def _junit_case(suite: ElementTree.Element, file: str, finding: ChangeFinding) -> None:
    name = f"{finding.rule} {finding.target} {finding.item}".strip()
    case = ElementTree.SubElement(suite, "testcase", classname=_xml(relative(file)), name=_xml(name))
    if finding.accepted:
        ElementTree.SubElement(case, "skipped", message=_xml(f"accepted: {finding.accepted}"))
    elif finding.counts:
        tag = "error" if finding.verdict is Verdict.UNKNOWN else "failure"
        problem = ElementTree.SubElement(case, tag, message=_xml(message(finding)), type=str(finding.verdict))
        place = f"{relative(finding.place.file)}:{finding.place.line}:{finding.place.column}"
        problem.text = "\n".join(map(visible, [place, *map(affected_text, finding.affected), *_next(finding)]))


def _xml(text: str) -> str:
    """Return *text* without characters that XML cannot hold."""
    return visible(text, lines=True)
