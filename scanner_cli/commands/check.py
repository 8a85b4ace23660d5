"""`scanner check`: what a change or a deletion breaks, and whom it hits."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import click

from scanner_check.model import ChangeReport, Verdict
from scanner_cli import library
from scanner_cli.choices import LEVELS, POLICIES
from scanner_cli.command import command, section
from scanner_cli.console import echo, echo_err
from scanner_cli.options import DEFAULT_DICTIONARY, cluster_option, dictionary_url_option, one_of, pairs, read_text
from scanner_cli.output.change_environments import ENVIRONMENTS
from scanner_cli.output.change_markdown import report_markdown
from scanner_cli.output.change_report import report_json, summary
from scanner_cli.output.change_terminal import report_terminal
from scanner_cli.output.ci_formats import github_annotations, gitlab_code_quality, junit, sarif
from scanner_cli.output.deletion import show_deletions
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_check.inputs.baseline import Accepted
    from scanner_check.inputs.files import ProposedFiles
    from scanner_check.inputs.options import CheckOptions, Judging
    from scanner_check.inputs.proposals import Target
    from scanner_model.usage import Usage

RENDERERS: Mapping[str, Callable[[ChangeReport], str]] = {
    "table": report_terminal,
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

_TARGETS = ("subject", "topic", "role", "statement", "connector")
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_AGE = re.compile(r"(\d{1,6})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


_TARGET_OPTIONS = tuple(
    click.option(name, default="", metavar="NAME", help=text)
    for name, text in (
        ("--subject", "The subject; `:.ctx:NAME` in a context."),
        ("--topic", "The topic: every current schema of one side."),
        ("--statement", "The Flink statement or ksqlDB query."),
        ("--connector", "The connector; else the name in the configuration."),
    )
)
_NAMED = ("subject", "topic", "statement", "connector")
_RANGE = re.compile(r"[^.\s]\S*?\.{2,3}(?![./])\S*")
"""Commits such as `main...HEAD`; but not a path such as `../schemas`."""

_FILES = frozenset({".avsc", ".avro", ".proto", ".json", ".sql", ".ksql", ".properties", ".yaml", ".yml"})
"""Endings of a name that is a file, also if it does not exist."""


@command()
@click.argument("things", nargs=-1, metavar="[FILE|DIRECTORY|BASE..HEAD|NAME]…")
@section(
    "What is checked",
    click.option("--git", "commits", metavar="BASE..HEAD", help="The files that differ between two commits."),
    click.option("--work-tree", is_flag=True, help="The uncommitted changes of the repository, against HEAD."),
    click.option(
        "--map",
        "rules",
        multiple=True,
        metavar="RULE",
        help="Which path changes what, as in `schemas/{subject}.avsc`; repeatable, the first that fits counts.",
    ),
    *_TARGET_OPTIONS,
    one_of("--role", words=("key", "value"), text="With --topic: the side.", default="value", show_default=True),
    click.option("--version", type=click.IntRange(1), metavar="N", help="Without FILE: this version of the subject."),
    click.option("--schema-id", default="", metavar="ID", help="Without FILE: every version with this schema id."),
    cluster_option,
    click.option(
        "--unseen-for",
        metavar="AGE",
        help="With NAME: readers not seen for this long do not count: 45d, 6w; by default `usage` of the settings.",
    ),
    click.option(
        "--as-of", metavar="SCAN|DATE", help="With NAME: what the answer was after this scan or at this date."
    ),
)
@section(
    "How it is judged",
    click.option("--reference", "references", multiple=True, metavar="NAME=FILE", help="The text behind a reference."),
    one_of("--compatibility", "level", words=LEVELS, text="The level of every subject, in place of the stored one."),
    one_of("--policy", words=POLICIES, text="The compatibility policy, in place of the stored one."),
    one_of("--dialect", words=("ksqldb", "flink"), text="The SQL dialect; by default detected from the text."),
    click.option("--max-age", "age", metavar="AGE", help="Maximum age of each source of the dictionary: 90m, 24h, 7d."),
    one_of("--fail-on", words=tuple(FAILING), text="The mildest verdict that fails; by default unknown."),
    click.option("--allow-new", is_flag=True, help="Allow subjects and jobs that are not in the dictionary yet."),
    click.option("--strict", is_flag=True, help="Fail for changed files of unsupported types, which are only listed."),
    click.option(
        "--against",
        multiple=True,
        metavar="DICTIONARY",
        help="Judge the change against this environment, and list where it may go; repeatable.",
    ),
    click.option(
        "--with",
        "others",
        multiple=True,
        metavar="DICTIONARY|DIRECTORY",
        help="Also report who reads what changes in this dictionary or repository; repeatable.",
    ),
    click.option(
        "--config",
        "configs",
        multiple=True,
        metavar="FILE",
        help="cluster.json whose `policy`, `usage` and `repositories` apply.",
    ),
)
@section(
    "Accepted findings",
    click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="JSON of accepted findings."),
    click.option("--accept", "fingerprint", metavar="FINGERPRINT", help="Add a finding to the baseline."),
    click.option("--reason", metavar="TEXT", help="With --accept: why."),
    click.option("--until", metavar="DATE", help="With --accept: the last day that the finding is accepted."),
)
@click.option("--mention", is_flag=True, help="In Markdown, mention the owners to ask as in CODEOWNERS.")
@click.option("--write", "writes", multiple=True, metavar="FORMAT=FILE", help="Write the report to a file, too.")
@dictionary_url_option
@one_of("--format", "style", words=(*RENDERERS, "csv"), text="The output format.", default="table", show_default=True)
def check(
    *,
    things: Sequence[str],
    commits: str | None,
    version: int | None,
    schema_id: str,
    configs: Sequence[str],
    unseen_for: str | None,
    as_of: str | None,
    url: str,
    style: str,
    **others: Any,  # noqa: ANN401 - the target and the options of the check
) -> int:
    """Check a change or a deletion before you make it: what breaks, and whom it hits. Nothing is changed.

    FILE proposes a schema (.avsc, .proto, .json), SQL of Flink or ksqlDB (.sql, .ksql), a connector (.json,
    .properties) or a deployment file of connectors and Flink jobs (.yaml, .yml). scanner compares it with the
    dictionary and contacts no server. The file's name is the subject unless --map or --subject says otherwise.

    BASE..HEAD (or --git) compares two commits. It needs no dictionary: scanner reads schemas, statements, connectors,
    topics and programs of both. With a dictionary, the changed files are also checked against what runs.

    NAME is a topic, subject, column, table or job: may it be deleted? So do --topic, --subject or --schema-id without
    FILE. The answer is yes, no or unknown, with a line for each use and for each reason why the list may be incomplete.
    With --unseen-for or `usage` in the settings, each reader that monitoring saw has a day from which on it does not
    count if it is not seen again.

    Verdicts on a change: breaks (a reader or the registry rejects it), impact (a known reader uses what changes),
    unknown (for example a source is stale), fine. --fail-on impact lets unknown pass, --fail-on breaks both, --fail-on
    none everything. Formats and rules: docs/check-change.md.

    \b
    Examples:
      scanner check orders-value.avsc
      scanner check origin/main...HEAD
      scanner check origin/main...HEAD --with ../billing --with nightly.db
      scanner check --work-tree
      scanner check orders.total
      scanner check orders.total --unseen-for 45d
      scanner check orders.total --as-of 2026-06-30
      scanner check order.proto --subject orders-value --compatibility full_transitive
      scanner check schemas/ --map 'schemas/{subject}.avsc' --max-age 24h
      scanner check --git main...HEAD --against prod.db --against staging.db
      scanner check --topic orders.RETRY
      scanner check --accept 0123456789abcdef --reason 'agreed with billing' --until 2027-03-31

    \b
    Exit status: 0 fine, or milder than --fail-on; yes. 2 the only FILE is invalid or of an unsupported type, a
    directory is empty, a commit is missing. 4 the only FILE is of an unknown subject, topic or job; unknown NAME.
    5 breaks. 6 impact; no. 7 unknown; also if one file of several is invalid, or no file was checked. With --fail-on
    none no verdict fails.
    """
    if others["work_tree"] and (things or commits or others["rules"] or any(others[of] for of in _NAMED)):
        hint = "leave out FILE, --git, --map and the names"
        raise InputInvalid("it checks all uncommitted changes", where="--work-tree", hint=hint)
    things, commits, name = _sorted_out(things, commits)
    target = {option: others[option] for option in ("topic", "subject")} | {"schema_id": schema_id, "version": version}
    if name and others["others"]:
        raise InputInvalid("it goes with files and commits", where="--with", hint="use --dictionary")
    config = Path(configs[-1]) if configs else None
    is_change = things or commits or others["fingerprint"] or others["work_tree"]
    if name or (any(target.values()) and not is_change):
        usage = _usage(unseen_for, config)
        with _dictionary(url).as_of(as_of) as then:
            if name:
                answers = library.may_remove(then, name, cluster=others["cluster"], usage=usage)
            else:
                found = library.may_delete(then, **target, cluster=others["cluster"])
                answers = library.dated(then, found, usage, topic=others["topic"])
        return show_deletions(answers, style)
    if option := "--unseen-for" if unseen_for else "--as-of" if as_of else "":
        raise InputInvalid("it goes with the name of what would be deleted", where=option, hint="name it")
    if configs and not is_change:
        return _doctor(configs, style)
    if style == "csv":
        hint = f"--format is one of {', '.join(RENDERERS)}"
        raise InputInvalid("a report on a change has no such format", where="--format csv", hint=hint)
    return _change(paths=things, commits=commits, config=config, url=url, style=style, **others)


def _usage(unseen_for: str | None, config: Path | None) -> Usage:
    """Return which readers count: by the option, else by the settings."""
    return library.usage_of(unseen_for) if unseen_for else library.read_judging(policy=config).usage


def _sorted_out(things: Sequence[str], commits: str | None) -> tuple[Sequence[str], str | None, str]:
    """Return files, commits and name: a single thing is a name or commits unless a file of that name exists."""
    if len(things) != 1 or commits or things[0] == "-" or Path(things[0]).exists():
        return things, commits, ""
    (thing,) = things
    if _RANGE.fullmatch(thing):
        return (), thing, ""
    return (things, None, "") if Path(thing).suffix.lower() in _FILES else ((), None, thing)


def _doctor(files: Sequence[str], style: str) -> int:
    echo_err("note: nothing to check is named; `scanner doctor` tests the connections of a cluster.json")
    context = click.get_current_context()
    doctor = context.find_root().command.get_command(context, "doctor")  # type: ignore[attr-defined]
    status: int = context.invoke(doctor, files=files, style=style)
    return status


def _change(
    *,
    writes: Sequence[str],
    against: Sequence[str],
    url: str,
    style: str,
    mention: bool,
    **given: Any,  # noqa: ANN401 - what is checked, and how
) -> int:
    """Check files or commits, and write the report; return the exit status."""
    if accepted := _acceptance(given):
        return _accept(accepted, given)
    request = _Request.of(given)
    outputs = [_output(text) for text in writes]
    if against and (outputs or style not in ENVIRONMENTS):
        hint = f"--format is one of {', '.join(ENVIRONMENTS)}, without --write"
        raise InputInvalid("several reports have no such format", where="--against", hint=hint)
    if against:
        reports = {name: request.report(name, is_needed=True) for name in against}
        statuses = {name: _status(report, request.fail_on) for name, report in reports.items()}
        echo(ENVIRONMENTS[style](reports, [name for name, status in statuses.items() if not status]), end="")
        return max(statuses.values())
    report = request.report(url)
    renderers: dict[str, Callable[[ChangeReport], str]] = {
        **RENDERERS,
        "markdown": partial(report_markdown, mention=mention),
    }
    for name, file in outputs:
        library.write_text(file, renderers[name](report))
    echo(renderers[style](report), end="")
    echo_err("\n".join([summary(report), *report.notes]), lines=True)
    return _status(report, request.fail_on)


class _Request(NamedTuple):
    """What a command line asks for: the files or commits, the rules for paths, and how they are checked."""

    paths: Sequence[str]
    commits: str | None
    work_tree: bool
    rules: Sequence[str]
    target: Target
    references: Sequence[str]
    options: CheckOptions
    fail_on: str
    top: Path

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """Return the request of the options *given*; missing ones are those of `.scanner.yaml`."""
        target = library.Target(**{name: given.pop(name) for name in _TARGETS})
        paths, commits, rules = (given.pop(name) for name in ("paths", "commits", "rules"))
        beside = [Path(place) for place in given["others"] if Path(place).is_dir()]
        given["others"] = tuple(place for place in given["others"] if not Path(place).is_dir())
        judging = library.read_judging(
            commits, policy=given.pop("config"), baseline=given.pop("baseline"), beside=beside
        )
        settings = judging.settings
        mapped = rules or (() if target.is_named else settings.map)
        fail_on = given.pop("fail_on") or settings.fail_on or os.environ.get(FAIL_ON) or "unknown"
        return cls(
            paths=paths,
            commits=commits,
            work_tree=given.pop("work_tree"),
            rules=rules or (mapped if commits is None and len(paths) != 1 else ()),
            target=target,
            references=given.pop("references"),
            options=_options(judging, mapped, given),
            fail_on=fail_on,
            top=judging.top,
        )

    @property
    def is_of_commits(self) -> bool:
        """Return whether two commits are compared as a whole."""
        return self.commits is not None and not (self.paths or self.target.is_named)

    def report(self, url: str, *, is_needed: bool = False) -> ChangeReport:
        """Check the request against the dictionary at *url*; commits need one only if it *is_needed*."""
        known = _dictionary(url) if is_needed or _exists(url) else None
        if self.work_tree:
            report = library.check_work_tree(Path(), options=self.options, dictionary=known)
            return library.with_surroundings(report, None, self.top, self.top)
        if self.is_of_commits and self.commits is not None:
            report = library.check_commits(self.commits, self.options, dictionary=known)
        else:
            files = _files(self.paths, self.commits, (self.rules, self.target, self.references))
            report = library.check_change(_dictionary(url), files, self.options)
        return library.with_surroundings(report, self.commits, Path(), self.top)


def _options(judging: Judging, mapped: Sequence[str], given: dict[str, Any]) -> CheckOptions:
    age = given.pop("age") or judging.settings.max_age
    return library.CheckOptions(
        level=library.Level(level.upper()) if (level := given.pop("level")) else None,
        policy=library.Policy(policy.upper()) if (policy := given.pop("policy")) else None,
        max_age=_age(age) if age else None,
        strict=given.pop("strict") or judging.settings.strict,
        rules=judging.policy,
        accepted=judging.accepted,
        settings_changes=judging.changes,
        map=tuple(map(library.PathRule.parse, mapped)),
        beside=judging.beside,
        usage=judging.usage,
        top=judging.top,
        **given,
    )


def _dictionary(url: str) -> Dictionary:
    return library.Dictionary(url, notify=echo_err)


def _exists(url: str) -> bool:
    """Return whether there is a dictionary at *url*; the usual place is looked at without the library."""
    if url == DEFAULT_DICTIONARY and not Path(url.removeprefix("sqlite:///")).exists():
        return False
    return _dictionary(url).exists


def _accept(entry: Accepted, given: Mapping[str, Any]) -> Exit:
    """Write an entry into the baseline."""
    judging = library.read_judging(given["commits"], policy=given["config"], baseline=None)
    file = given["baseline"] or judging.top / (judging.settings.baseline or library.DEFAULT_BASELINE)
    library.accept(file, entry)
    echo_err(f"{entry.fingerprint} is accepted until {entry.expires} in {visible(str(file))}", lines=True)
    return Exit.DONE


def _acceptance(others: dict[str, Any]) -> Accepted | None:
    """Take --accept, --reason and --until out of the options; None without --accept."""
    fingerprint, reason, until = (others.pop(name) for name in ("fingerprint", "reason", "until"))
    if fingerprint is None:
        return None
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise InputInvalid(f"{fingerprint!r} is not a fingerprint", where="--accept", hint="copy it from a finding")
    if not (reason or "").strip():
        raise InputInvalid("the reason is missing", where="--accept", hint="add --reason 'why it is accepted'")
    try:
        expires = date.fromisoformat(until or "")
    except ValueError:
        raise InputInvalid(f"{until!r} is not a date", where="--until", hint="as in 2027-01-31") from None
    return library.Accepted(fingerprint=fingerprint, reason=reason.strip(), expires=expires)


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
        raise InputInvalid("--subject, --topic and --map exclude each other", where="scanner check")
    if commits is not None:
        if paths:
            raise InputInvalid("--git and FILE exclude each other", where="--git", hint="leave one of them out")
        return library.git_files(commits, rules)
    if not paths:
        raise InputInvalid(
            "FILE is missing", where="scanner check", hint="name files, commits (BASE..HEAD), or what would be deleted"
        )
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
