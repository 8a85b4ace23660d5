"""The formats of a check's report, against what their readers demand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from scanner_check.model import (
    Affected,
    ChangeFinding,
    ChangeReport,
    CheckedFile,
    Place,
    SkippedFile,
    Verdict,
    literal,
)
from scanner_check.rows.table import RULES
from scanner_cli.commands.check import RENDERERS
from scanner_cli.output.change_answer import headline
from scanner_cli.output.change_markdown import LONGEST, MARKER, report_markdown

SCHEMAS = json.loads((Path(__file__).parent / "report_formats.schema.json").read_text())["$defs"]
ROOT = Path(__file__).parents[3]
QUIET = re.compile("`[^`]*`|<code>[^<]*</code>")
"""What a platform reads no mention in: code, also as HTML."""
ODD = 'a|b`c`\x1b[31m<script>@team %0A,:\n"x"'


def finding(rule: str = "column-removed", verdict: Verdict = Verdict.IMPACT, **more: Any) -> ChangeFinding:
    given = {
        "place": Place(file="schemas/order é.avsc", line=3, column=7),
        "target": "subject orders-value",
        "message": literal(more.pop("what", "amount is removed")),
        "item": "amount",
    }
    return ChangeFinding(rule=rule, verdict=verdict, **{**given, **more})


def affected(name: str = "paid", **more: Any) -> Affected:
    return Affected(kind="topic", namespace="kafka://k:9092", name=name, path="", use="copies", steps=1, **more)


REPORTS: Mapping[str, ChangeReport] = {
    "empty": ChangeReport(files=(), findings=()),
    "fine": ChangeReport(files=(CheckedFile(file="a.avsc", kind="schema"),), findings=()),
    "all": ChangeReport(
        files=(CheckedFile(file="schemas/order é.avsc", kind="schema", targets=("subject orders-value",)),),
        findings=(
            finding("incompatible", Verdict.BREAKS, item="amount X"),
            finding(affected=(affected(owner="billing", tags=("PII",)),), tags=("finance",)),
            finding("stale-source", Verdict.UNKNOWN, place=Place(file=""), item="connect:main"),
            finding("column-added", Verdict.FINE, item="note"),
            finding("made-nullable", item="email", accepted="agreed"),
        ),
        scans=(("shop", 3, "2026-03-01T12:00:00+00:00"),),
        skipped=(SkippedFile("README.md", "no rule"),),
        notes=("baseline: x expired",),
    ),
    "odd": ChangeReport(
        files=(CheckedFile(file=ODD, kind="schema"),),
        findings=(
            finding(what=ODD, item=ODD, target=ODD, place=Place(file=ODD), affected=(affected(ODD, owner=ODD),)),
        ),
    ),
    "long": ChangeReport(
        files=(CheckedFile(file="a.avsc", kind="schema"),),
        findings=tuple(
            finding(item=f"c{number}", affected=tuple(affected(f"t{index}") for index in range(30)))
            for number in range(300)
        ),
    ),
}


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> ChangeReport:
    """Return each report in turn."""
    return REPORTS[request.param]


def test_sarif_is_valid(report: ChangeReport) -> None:
    """GitHub refuses an upload that is not."""
    document = json.loads(RENDERERS["sarif"](report))

    Draft202012Validator(SCHEMAS["sarif"]).validate(document)
    (run,) = document["runs"]
    assert {result["ruleId"] for result in run["results"]} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert len(run["results"]) == len(report.findings)


@pytest.mark.parametrize(
    "name",
    ["[sign in](https://evil.example)", "\\[a](b)", "a[0] [b](c) [d] (e)", "[[a](b)](c)", "![x](y)"],
)
def test_sarif_holds_no_link_of_others(name: str) -> None:
    """A message in plain text may have links, SARIF 2.1.0, 3.11.6: an unescaped bracket opens one."""
    reported = ChangeReport(files=(), findings=(finding(what=name),), skipped=(SkippedFile(file=name, why=name),))
    (run,) = json.loads(RENDERERS["sarif"](reported))["runs"]
    texts = [
        run["results"][0]["message"]["text"],
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
    ]

    for text in texts:
        assert not re.search(r"(?<!\\)(?:\\\\)*\[[^\[\]]*\]\(", text)
        assert name in re.sub(r"\\([\\\[])", r"\1", text)


def test_sarif_leaves_brackets_without_a_link() -> None:
    reported = ChangeReport(files=(), findings=(finding(what="items[0].price [a]"),))

    assert "items[0].price [a]" in RENDERERS["sarif"](reported)


def test_code_quality_is_valid_and_its_fingerprints_are_unique(report: ChangeReport) -> None:
    """GitLab drops issues that share one."""
    issues = json.loads(RENDERERS["gitlab-code-quality"](report))

    Draft202012Validator(SCHEMAS["code-quality"]).validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_junit_counts_what_it_holds(report: ChangeReport) -> None:
    """Jenkins and GitLab read counts and cases; the attributes are those of Jenkins' junit-10.xsd."""
    suites = ElementTree.fromstring(RENDERERS["junit"](report))

    assert suites.tag == "testsuites"
    for suite in suites:
        cases = list(suite)
        kinds = [child.tag for case in cases for child in case]
        assert set(suite.attrib) == {"name", "tests", "failures", "errors", "skipped"}
        counted = [int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")]
        assert counted == [len(cases), kinds.count("failure"), kinds.count("error"), kinds.count("skipped")]
        assert all({"name", "classname"} == set(case.attrib) for case in cases)
    assert bool(suites.findall(".//failure")) == (report.verdict in (Verdict.IMPACT, Verdict.BREAKS))


def test_no_name_begins_a_line_of_a_report() -> None:
    """What prints a report into GitHub's log must not run a command that a file's name holds."""
    forged = "a\n::error::forged"
    findings = (finding(place=Place(file=forged), what=forged, target=forged, affected=(affected(forged),)),)
    report = ChangeReport(files=(CheckedFile(file=forged, kind="schema"),), findings=findings)
    for render in RENDERERS.values():
        assert not [line for line in render(report).splitlines() if line.startswith("::error::")]


COMMAND = re.compile(r"::(error|warning|notice) ([a-z]+=[^,:\n]*(?:,[a-z]+=[^,:\n]*)*)::([^\n]*)")


def test_annotations_are_workflow_commands(report: ChangeReport) -> None:
    """A line feed, comma or colon in a name must not begin another command or property."""
    lines = RENDERERS["github-actions"](report).splitlines()

    assert len(lines) == len(report.findings) + bool(report.skipped)
    assert all(COMMAND.fullmatch(line) for line in lines)
    assert [line.split(" ")[0] for line in lines] == sorted(line.split(" ")[0] for line in lines) or lines


def test_most_serious_annotations_come_first() -> None:
    """GitHub shows ten of each level."""
    levels = [line.split(" ")[0] for line in RENDERERS["github-actions"](REPORTS["all"]).splitlines()]

    assert levels == ["::error", "::error", "::warning", "::notice", "::notice", "::notice"]


@pytest.mark.parametrize("style", [style for style in RENDERERS if style != "gitlab-code-quality"])
def test_skipped_files_are_named_with_the_reason(style: str) -> None:
    """GitLab's report has issues only."""
    text = RENDERERS[style](REPORTS["all"])

    assert "README.md" in text
    assert "no rule" in text


def test_markdown_fits_a_comment_and_marks_itself(report: ChangeReport) -> None:
    """GitHub refuses a longer one; the marker lets a workflow replace its own."""
    text = RENDERERS["markdown"](report)

    assert text.startswith(f"{MARKER}\n")
    assert len(text) < LONGEST + 200
    assert "<script>" not in re.sub(QUIET, "", text)


@pytest.mark.parametrize(
    "what", ["dwh.public.revenue_facts lost amount", "a*b`c`|d is gone", "<b>x</b> & @team changed"]
)
def test_a_summary_is_html_and_has_no_markup_of_markdown(what: str) -> None:
    """GitHub reads no Markdown inside `<summary>`: a backslash would be shown."""
    reported = ChangeReport(files=(), findings=(finding(what=what, affected=(affected("a_1"),)),))
    text = report_markdown(reported)
    summaries = re.findall("<summary>(.*)</summary>", text)

    assert any(unescape(re.sub("</?code>|\u200b", "", each)).startswith(what) for each in summaries)
    assert not [each for each in summaries if "\\" in each]
    assert "@" not in re.sub("<code>[^<]*</code>", "", "".join(summaries))


def test_markdown_mentions_nobody() -> None:
    """An owner's name in a comment must not notify half a company."""
    text = re.sub(QUIET, "", RENDERERS["markdown"](REPORTS["odd"]))

    assert "@" not in text


def test_owners_of_codeowners_are_mentioned_only_on_request() -> None:
    """Names in the files stay code: anybody can write those in a pull request."""
    owners = {"schemas/order é.avsc": ("@acme/data", "a@b.example", "@a `@victim")}
    change = ChangeReport(files=(), findings=(finding(affected=(affected(owner="@victim"),)),), code_owners=owners)

    quiet, loud = (re.sub(QUIET, "", report_markdown(change, mention=mention)) for mention in (False, True))
    assert "@" not in quiet
    assert re.findall(r"@[\w/]+", loud) == ["@acme/data"]


def test_table_and_json_have_every_finding(report: ChangeReport) -> None:
    """The table is for people, JSON for everything else."""
    document = json.loads(RENDERERS["json"](report))

    assert document["verdict"] == str(report.verdict)
    assert len(document["findings"]) == len(report.findings)
    table = RENDERERS["table"](report)
    assert all(one.rule in table for one in report.findings)
    assert "\x1b" not in table


def test_every_rule_is_described() -> None:
    """The page lists it."""
    page = (ROOT / "docs" / "check-change.md").read_text(encoding="utf-8")

    assert [rule for rule in RULES if f"`{rule}`" not in page] == []


def test_the_answer_about_a_job_says_that_others_read_what_it_writes():
    """The job itself is not what is read."""
    reader = Affected(kind="job", namespace="", name="bill", path="", use="reads", steps=1)
    stopped = finding("job-stopped", target="job shop", item="shop", affected=(reader,))

    assert (
        headline(ChangeReport(files=(), findings=(stopped,))) == "1 service is affected: bill reads what `shop` writes."
    )


def test_a_service_writes_only_where_it_is_the_last_on_the_way():
    """A program on the way to a sink writes a topic, not the sink's index; what it may use it is not said to write."""
    program = Affected(kind="job", namespace="", name="enrich", path="", use="unknown", steps=1)
    sink = Affected(kind="job", namespace="", name="search", path="", use="copies", steps=3, through=("enrich",))
    index = replace(sink, kind="dataset", namespace="elasticsearch://e:9200", name="hits", through=("enrich", "search"))
    lost = finding("column-lost", target="job shop", item="orders.id", affected=(program, sink, index))

    assert headline(ChangeReport(files=(), findings=(lost,))) == (
        "2 services are affected: enrich may read `orders.id`, search writes `orders.id` to Elasticsearch `hits`."
    )
    copying = replace(lost, affected=(replace(program, use="copies"), sink, index))
    assert "enrich reads `orders.id`, search writes" in headline(ChangeReport(files=(), findings=(copying,)))
