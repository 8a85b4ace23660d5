"""Suggested tags of columns: the rules that count, and what people decided.

Accepted tags are declared, rejected ones are not suggested again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection

from scanner_dictionary.queries.facts import reported_facts
from scanner_model.columns import KEY, ColumnPath, parse_path
from scanner_model.tag_decisions import Decision, TagDecision, TagRuleFile
from scanner_model.tag_rules import TagRules, rules_of

Decisions = Mapping[tuple[str, str], Mapping[ColumnPath, tuple[TagDecision, ...]]]
"""By cluster and topic, or by an empty text and the namespace and name of another dataset; then by path."""


def tag_rules(conn: Connection) -> Mapping[str, TagRules]:
    """Return the rules that suggest tags by cluster, of any name; under an empty one those of all clusters.

    These are for datasets outside of Kafka. Rules of files count before those that come with the program.
    """
    listed: dict[str, dict[str, None]] = {"": {}}
    for cluster, fact in reported_facts(conn, TagRuleFile):
        for name in ("", cluster):
            listed.setdefault(name, {})[fact.rules] = None
    return defaultdict(rules_of, {name: rules_of(tuple(rules)) for name, rules in listed.items()})


def tag_decisions(conn: Connection, decision: Decision) -> Decisions:
    """Return the decisions of one kind; a dataset without any is not listed.

    A name with a slash is that of a dataset outside of Kafka: no topic has one.
    """
    found: dict[tuple[str, str], dict[ColumnPath, tuple[TagDecision, ...]]] = {}
    for cluster, fact in reported_facts(conn, TagDecision):
        if fact.decision is decision:
            columns = found.setdefault(("" if "/" in fact.dataset else cluster, fact.dataset), {})
            path = parse_path(fact.column_name)
            columns[path] = (*columns.get(path, ()), fact)
    return found


def with_accepted(
    tags: Mapping[ColumnPath, tuple[str, ...]], accepted: Mapping[ColumnPath, tuple[TagDecision, ...]], role: str
) -> Mapping[ColumnPath, tuple[str, ...]]:
    """Return the *tags* of columns of a schema with those that were *accepted* for its topic."""
    own = {
        path[1:] if role == "key" else path: tuple(each.tag for each in decisions)
        for path, decisions in accepted.items()
        if (path[:1] == (KEY,)) == (role == "key")
    }
    return {**tags, **{path: (*tags.get(path, ()), *more) for path, more in own.items()}} if own else tags
