"""`scanner validate`: what in the dictionary does not fit together."""

from __future__ import annotations

from collections.abc import Sequence

import click

from scanner_cli.console import echo_err
from scanner_cli.exit_codes import Exit
from scanner_cli.options import cluster_option, dictionary_option, known_cluster, reading
from scanner_cli.output.render import format_option, show
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid
from scanner_model.text import visible

_RULES = """\b
Rules:
  collection-on-missing-topic  a ksqlDB collection whose topic the brokers do not have
  connector-on-missing-topic   a connector that used a topic which does not exist
  connector-without-tasks      it runs, and moves nothing
  failed-connector             a connector or a task of it failed; the first line of its trace
  failed-statement             a Flink statement, Flink job or ksqlDB query failed
  failed-table                 a topic's table is not kept up to date any more
  stale-source                 a source could not be read since
  ambiguous-schema             several schemas claim one side of a topic
  dangling-reference           a schema refers to a version that its registry does not have
  group-on-missing-topic       a consumer group reads a topic which is not there
  subject-without-topic        no known topic is described by it, and no schema refers to it
  topic-without-schema         no schema describes it
"""

_COLUMNS = ("cluster", "severity", "rule", "where", "what")


@click.command(epilog=_RULES)
@cluster_option
@click.option("--rule", "names", multiple=True, metavar="RULE", help="Ask only this rule; repeatable.")
@click.option("--strict", is_flag=True, help="Exit status 3 where anything is found.")
@dictionary_option
@format_option()
def validate(cluster: str | None, names: Sequence[str], strict: bool, url: str, style: str) -> int:
    """Find what does not fit together: failures, dangling references, topics without schema, lost subjects.

    Every scan asks the same and keeps the findings in the table `finding`; this asks anew, of what is stored now.

    \b
    Examples:
      scanner validate
      scanner validate --cluster retail --rule failed-connector
      scanner validate --strict --format json

    \b
    Exit status: 0 done; 3 something was found, with --strict; 4 the cluster is not known.
    """
    from scanner_dictionary.validation import RULES
    from scanner_dictionary.validation import validate as findings

    for name in names:
        if name not in RULES:
            hint = closest_match(name, tuple(RULES)) or f"known: {', '.join(sorted(RULES))}"
            raise InputInvalid(f"no rule is called {name!r}", where="--rule", hint=hint)
    with reading(url) as conn:
        found = list(findings(conn, cluster=known_cluster(conn, cluster), rules=names or None))
    rows = [
        {
            "cluster": f.cluster,
            "severity": str(f.severity),
            "rule": f.rule,
            "where": f.where,
            "what": f.what,
            "hint": f.hint,
        }
        for f in found
    ]
    show(rows, _COLUMNS, style, document=rows)
    if style == "table":
        hints = dict.fromkeys((f.rule, f.hint) for f in found)
        echo_err(
            "\n".join(
                [visible(f"{rule}: {hint}") for rule, hint in hints] or ["nothing found: everything fits together"]
            ),
            lines=True,
        )
    return Exit.PARTIAL if strict and found else Exit.DONE
