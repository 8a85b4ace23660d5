"""`scanner check-change`: what a proposed change breaks, and whom it hits."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_api.change_check.model import ChangeReport, Verdict
from scanner_cli import library
from scanner_cli.choices import LEVELS, POLICIES
from scanner_cli.console import echo, echo_err
from scanner_cli.options import cluster_option, dictionary_option, one_of, pairs, read_text
from scanner_cli.output.change_markdown import report_markdown
from scanner_cli.output.change_report import report_json, report_table, summary
from scanner_cli.output.ci_formats import github_annotations, gitlab_code_quality, junit, sarif
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.change_check.files import ProposedFiles
    from scanner_api.change_check.proposals import Target
    from scanner_api.dictionary import Dictionary

RENDERERS: Mapping[str, Callable[[ChangeReport], str]] = {
    "table": report_table,
    "json": report_json,
    "markdown": report_markdown,
    "github-actions": github_annotations,
    "gitlab-code-quality": gitlab_code_quality,
    "sarif": sarif,
    "junit": junit,
}
"""Format → the function that writes a report in it."""

FAILING: Mapping[str, tuple[Verdict, ...]] = {
    "breaks": (Verdict.BREAKS,),
    "impact": (Verdict.BREAKS, Verdict.IMPACT),
    "unknown": (Verdict.BREAKS, Verdict.IMPACT, Verdict.UNKNOWN),
    "none": (),
}
"""`--fail-on` → the verdicts that end with a status of their own."""

FAIL_ON = "SCANNER_FAIL_ON"
"""Variable with the `--fail-on` of a pipeline, for repositories that do not set `fail-on` in `.scanner.yaml`."""

STATUS = {Verdict.BREAKS: Exit.BREAKS, Verdict.IMPACT: Exit.IMPACT, Verdict.UNKNOWN: Exit.UNCERTAIN}

_AGE = re.compile(r"(\d{1,6})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _target_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name what the only file changes."""
    for name, metavar, text in reversed(
        (
            ("--subject", "NAME", "The subject that the schema file changes; `:.ctx:NAME` in a context."),
            ("--topic", "NAME", "The topic that the schema file changes: every current schema of one side."),
            ("--statement", "NAME", "The Flink statement or ksqlDB query that the SQL file changes."),
            ("--connector", "NAME", "The connector that the configuration changes; else the name in it."),
        )
    ):
        command = click.option(name, default="", metavar=metavar, help=text)(command)
    return command


@click.command("check-change")
@click.argument("paths", nargs=-1, metavar="[FILE|DIRECTORY…]")
@click.option(
    "--git",
    "commits",
    metavar="BASE..HEAD",
    help="The files that differ between two commits; each is checked, or skipped with the reason.",
)
@click.option(
    "--map",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Which path changes what, as in `schemas/{subject}.avsc`; repeatable, the first that fits counts.",
)
@_target_options
@one_of("--role", words=("key", "value"), text="With --topic: the side.", default="value", show_default=True)
@click.option("--reference", "references", multiple=True, metavar="NAME=FILE", help="The text behind a reference.")
@one_of("--compatibility", "level", words=LEVELS, text="The level of every subject, in place of the stored one.")
@one_of("--policy", words=POLICIES, text="The policy for JSON Schema, in place of the stored one.")
@one_of("--dialect", words=("ksqldb", "flink"), text="The SQL dialect; by default detected from the text.")
@click.option("--max-age", "age", metavar="AGE", help="How long ago each source may have been read: 90m, 24h, 7d.")
@one_of("--fail-on", words=tuple(FAILING), text="The mildest verdict that fails; by default unknown.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="JSON of accepted findings.")
@click.option("--allow-new", is_flag=True, help="A subject or job that the dictionary does not have is no mistake.")
@click.option("--write", "writes", multiple=True, metavar="FORMAT=FILE", help="Write the report to a file, too.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="cluster.json whose `policy` applies.")
@cluster_option
@dictionary_option
@one_of("--format", "style", words=tuple(RENDERERS), text="The output format.", default="table", show_default=True)
def check_change(
    *,
    paths: Sequence[str],
    commits: str | None,
    rules: Sequence[str],
    references: Sequence[str],
    age: str | None,
    fail_on: str | None,
    baseline: Path | None,
    config: Path | None,
    writes: Sequence[str],
    dictionary: Dictionary,
    style: str,
    **others: Any,  # noqa: ANN401 - the target and the options of the check
) -> int:
    """Check a change before it is merged: which readers a schema breaks, and which columns, jobs and tables it hits.

    A FILE is a schema (.avsc, .proto, .json), SQL of Flink or ksqlDB (.sql, .ksql), a connector's configuration
    (.json, .properties) or a deployment file of connectors and Flink jobs (.yaml, .yml), and proposes what it holds.
    It is compared with what the dictionary has now; no server is asked. Without --map a schema file is named as its
    subject, a statement is found by what it writes, and a connector by the name in its configuration. References are
    those of the newest version, unless --reference gives others.

    --git without --map needs no dictionary: both commits are read as `scanner extract --from` reads a directory
    (schemas, statements, connectors, topics, in any file), and compared. With a dictionary of what runs, the changed
    files are checked against that, too.

    Verdicts: breaks (the registry rejects the schema at the subject's level), impact (somebody uses what changes),
    unknown (it cannot be said: a source is stale, a group's columns are unknown), fine. --fail-on impact lets unknown
    pass, --fail-on breaks both, --fail-on none everything. A file that cannot be parsed passes with none only. Formats:
    docs/check-change.md.

    \b
    Examples:
      scanner check-change orders-value.avsc
      scanner check-change order.proto --subject orders-value --compatibility full_transitive
      scanner check-change schemas/ --map 'schemas/{subject}.avsc' --max-age 24h
      scanner check-change --git origin/main...HEAD --map 'schemas/{subject}.avsc' --map 'flink/{statement}.sql'
      scanner check-change enrich.sql --statement enrich
      scanner check-change orders-to-lake.json --format markdown --write sarif=scanner.sarif
      scanner check-change --git origin/main...HEAD
      scanner check-change orders-to-lake.json --config cluster.json

    \b
    Exit status: 0 fine, or milder than --fail-on; 2 the only FILE is no schema, statement or configuration, a directory
    is empty, a commit is missing; 4 the only FILE is of an unknown subject, topic or job; 5 breaks; 6 impact;
    7 unknown; also where a file of several cannot be parsed, or no file was checked, unless --fail-on is none.
    """
    target = library.Target(
        **{name: others.pop(name) for name in ("subject", "topic", "role", "statement", "connector")}
    )
    judging = library.read_judging(commits, policy=config, baseline=baseline)
    settings = judging.settings
    rules, age = rules or settings.map, age or settings.max_age
    options = library.CheckOptions(
        level=library.Level(level.upper()) if (level := others.pop("level")) else None,
        policy=library.Policy(policy.upper()) if (policy := others.pop("policy")) else None,
        max_age=_age(age) if age else None,
        rules=judging.policy,
        accepted=judging.accepted,
        settings_changes=judging.changes,
        **others,
    )
    outputs = [_output(text) for text in writes]
    if commits is not None and not (paths or rules or target.is_named):
        report = library.check_commits(commits, options, dictionary=dictionary if dictionary.exists else None)
    else:
        report = library.check_change(dictionary, _files(paths, commits, (rules, target, references)), options)
    for name, file in outputs:
        library.write_text(file, RENDERERS[name](report))
    echo(RENDERERS[style](report), end="")
    echo_err("\n".join([summary(report), *report.notes]), lines=True)
    return _status(report, fail_on or settings.fail_on or os.environ.get(FAIL_ON) or "unknown")


def _status(report: ChangeReport, fail_on: str) -> Exit:
    if fail_on not in FAILING:
        raise InputInvalid(f"{fail_on!r} is not known", where=FAIL_ON, hint=f"one of {', '.join(FAILING)}")
    if report.verdict in FAILING[fail_on]:
        return STATUS[report.verdict]
    return Exit.UNCERTAIN if report.is_incomplete and fail_on != "none" else Exit.DONE


def _files(
    paths: Sequence[str], commits: str | None, about: tuple[Sequence[str], Target, Sequence[str]]
) -> ProposedFiles:
    texts, target, references = about
    rules = [library.PathRule.parse(text) for text in texts]
    if target.is_named and (rules or sum(map(bool, (target.subject, target.topic))) > 1):
        raise InputInvalid("--subject, --topic and --map exclude each other", where="scanner check-change")
    if commits is not None:
        if paths:
            raise InputInvalid("--git and FILE exclude each other", where="--git", hint="leave one of them out")
        return library.git_files(commits, rules)
    if not paths:
        raise InputInvalid("FILE is missing", where="scanner check-change", hint="name files, or use --git BASE..HEAD")
    texts_of = {name: read_text(file) for name, file in pairs(references, "--reference", "NAME=FILE")}
    return library.proposed_files(paths, target=target, rules=rules, references=texts_of)


def _age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if not match:
        raise InputInvalid(f"{text!r} is not an age", where="--max-age", hint="as in 90m, 24h or 7d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _output(text: str) -> tuple[str, Path]:
    name, _, file = text.partition("=")
    if name not in RENDERERS or not file:
        hint = f"a FORMAT is one of {', '.join(RENDERERS)}"
        raise InputInvalid(f"{text!r} is not FORMAT=FILE", where="--write", hint=hint)
    return name, library.check_file(Path(file), "--write")
