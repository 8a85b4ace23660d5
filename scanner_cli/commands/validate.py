"""`scanner validate`: what is inconsistent, and what runs otherwise than declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo_err
from scanner_cli.options import cluster_option, dictionary_option, one_of
from scanner_cli.output.groups import finding_groups, show_groups
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.questions.listings import DriftRow

_RULES = """\b
Rules:
  collection-on-missing-topic  a ksqlDB collection whose topic the brokers do not have
  connector-on-missing-topic   a connector that uses a topic which does not exist
  connector-without-tasks      it runs without a task
  failed-connector             a connector or a task of it failed; the first line of its trace
  failed-statement             a Flink statement, Flink job or ksqlDB query failed
  unread-statement             a statement of a file that is not read for lineage; its line and why
  unread-file                  a file of a repository that may declare flows and is not read, and why
  unresolved-use               a source file uses a Kafka client, and scanner cannot resolve the topic
  failed-table                 a topic's table is no longer updated
  stale-source                 a source could not be read since
  ambiguous-schema             several schemas claim one side of a topic
  dangling-reference           a live schema refers to a version that its registry does not have
  group-on-missing-topic       a consumer group reads a topic which does not exist
  subject-without-topic        it describes no known topic, and no schema refers to it
  topic-without-schema         no schema describes it
  unused-version               no examined record and no scanned file has this old version
  declared-not-running         a deployment file declares it, and it does not run
  running-not-declared         it runs, and no deployment file declares it
  running-otherwise            it runs otherwise than its deployment file declares
  unknown-writer               a client writes it that no rule permits, or nothing names
  unused-topic                 metrics of clients were read, and none uses it
  writer-without-schema        a client writes it, and no schema describes it
  unknown-column               a flow of the graph uses a column that no schema of its topic has
  decision-without-column      a decision on personal data names a column that no topic or table has
  field-not-written            a program reads a field that no schema of the topic and no known writer has
  column-misfit                a job writes a column that its table does not have, or that cannot hold every value
"""


@command(epilog=_RULES)
@cluster_option
@click.option("--rule", "names", multiple=True, metavar="RULE", help="Check only this rule; repeatable.")
@click.option("--strict", is_flag=True, help="Exit status 3 if there is any finding.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="cluster.json whose `policy` applies.")
@click.option("--drift", is_flag=True, help="Compare deployment files with what runs, instead of the rules.")
@one_of("--kind", words=("topic", "connector"), text="With --drift: topics or connectors only.")
@click.option(
    "--as-of", metavar="SCAN|DATE", help="What did not fit together after this scan, or at this date or time."
)
@dictionary_option
@format_option()
def validate(
    *,
    cluster: str | None,
    names: Sequence[str],
    strict: bool,
    config: Path | None,
    drift: bool,
    kind: str | None,
    as_of: str | None,
    dictionary: Dictionary,
    style: str,
) -> int:
    """Find inconsistencies: failures, dangling references, topics without schema, subjects without topic.

    Every scan checks the same rules and stores the findings in the table `finding`; this checks what is stored now.
    With --config, the rules of its `policy` are checked, too: docs/how-to/personal-data.md.

    --drift compares the deployment files of cluster.json (`files`) with the topics and connectors of the last scan.
    not-running: declared, but it does not run. not-declared: it runs, and no file declares it, although files declare
    others of its kind. differs: one line for each key. unknown: scanner could not read what runs.

    \b
    Examples:
      scanner validate
      scanner validate --cluster retail --rule failed-connector
      scanner validate --strict --format json
      scanner validate --strict --config cluster.json
      scanner validate --as-of 2026-06-30
      scanner validate --drift --kind connector

    \b
    Exit status: 0 done, no drift; 3 there are findings, with --strict; 4 the cluster is not known; with --drift
    6 there is drift; 7 unknown: nothing is declared, or all drift is unknown.
    """
    dictionary = dictionary.at(as_of)
    if drift:
        return _show_drift(dictionary, cluster, kind, style)
    if not config and library.POLICY_RULES.intersection(names):
        what = f"{', '.join(sorted(library.POLICY_RULES.intersection(names)))} is a rule of a policy, and none is named"
        raise InputInvalid(what, where="--rule", hint="name the cluster.json that has it with --config")
    policy = library.read_policy(config) if config else library.ClusterPolicy()
    applied = library.apply_policy(dictionary, policy, cluster=cluster, rules=names or None)
    own = [name for name in names if name not in library.POLICY_RULES]
    dictionary = replace(dictionary, notify=None)  # which scan is meant was said
    found = library.validate(dictionary, cluster=cluster, rules=own or None) if own or not names else ()
    findings = (*found, *applied.findings)
    rows = [
        {
            "cluster": f.cluster,
            "severity": str(f.severity),
            "rule": f.rule,
            "where": f.where,
            "what": f.what,
            "hint": f.hint,
        }
        for f in findings
    ]
    if style == Format.TABLE:
        show_groups(finding_groups(rows))
        if not rows:
            echo_err("no findings")
    else:
        show(rows, BY_NAME["findings"].shown, style, document=rows)
    if applied.notes:
        echo_err("\n".join(map(visible, applied.notes)), lines=True)
    return Exit.PARTIAL if strict and findings else Exit.DONE


_DRIFT_COLUMNS = ("cluster", "kind", "name", "drift", "key", "declared", "running", "place", "source")


def _show_drift(dictionary: Dictionary, cluster: str | None, kind: str | None, style: str) -> int:
    """Compare the deployment files of cluster.json with the topics and connectors that run, as the last scan read both.

    Defaults, masked secrets and filled-in placeholders do not count as differences.
    """
    result = library.drift(dictionary, cluster=cluster)
    rows = [row for row in result.rows if kind in (None, row.kind)]
    drifting = sum(row.drift is not library.Drift.UNKNOWN for row in rows)
    show(
        [line for row in rows for line in _lines(row)], _DRIFT_COLUMNS, style, document=[_document(row) for row in rows]
    )
    if not result.declared:
        echo_err("nothing is declared: name deployment files as `files` in cluster.json, and scan")
    else:
        echo_err(f"{result.declared} declared; {drifting} drift, {len(rows) - drifting} unknown")
    if drifting:
        return Exit.IMPACT
    return Exit.UNCERTAIN if rows or not result.declared else Exit.DONE


def _lines(row: DriftRow) -> Iterator[dict[str, Any]]:
    document = _document(row)
    for difference in document["differences"] or [{}]:
        yield document | {"key": "", "declared": None, "running": None} | difference


def _document(row: DriftRow) -> dict[str, Any]:
    return row._asdict() | {
        "drift": str(row.drift),
        "differences": [difference._asdict() for difference in row.differences],
    }
