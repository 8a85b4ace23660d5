"""Each rule has a change with a finding of it and a near one without, and no two rules can be exchanged unnoticed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from checked_installation import AT, RECORDED, Stored, installation, links_of, read_result, versions_of
from committed_repository import commit_all, git
from rule_cases import COMMITS, ESTATE

from scanner_check.check import check_change
from scanner_check.commits import check_commits
from scanner_check.inputs.files import ProposedFiles, proposed_files
from scanner_check.inputs.options import CheckOptions, read_judging
from scanner_check.model import ChangeReport
from scanner_check.rows.table import RULES
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.evolution import Level
from scanner_model.scan import ClusterScan, SourceStatus

pytestmark = pytest.mark.slow

Answers = frozenset[tuple[str, str]]
"""Rule and verdict of each finding."""
AVRO = RECORDED["versions"]["AVRO"][-1]
MORE = {**AVRO, "fields": [*AVRO["fields"], {"name": "note", "type": "string", "default": ""}]}
NEEDED = {**AVRO, "fields": [*AVRO["fields"], {"name": "note", "type": "string"}]}
LESS = {**AVRO, "fields": [field for field in AVRO["fields"] if field["name"] != "amount"]}
ONE_SYMBOL = {
    **AVRO,
    "fields": [
        {**one, "type": {**one["type"], "symbols": ["NEW"]}} if one["name"] == "status" else one
        for one in AVRO["fields"]
    ],
}
DRAFT = '{"$schema": "http://json-schema.org/%s/schema#", "type": "object", "properties": {"a": {"type": "string"}}}'
FILE = "orders.avro-value.avsc"
BACKWARD, NONE = {"level": Level.BACKWARD}, {"level": Level.NONE}


def answers(report: ChangeReport) -> Answers:
    return frozenset((finding.rule, str(finding.verdict)) for finding in report.findings)


# --- cases of two commits


def of_commits(name: str, folder: Path) -> Iterator[Answers]:
    case = COMMITS[name]
    git(folder, "init", "-q")
    base = {**ESTATE, **case.base}
    for files in (base, case.fires, {**base, **dict.fromkeys(case.fires.keys() - base.keys()), **case.silent}):
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_text(text)
        commit_all(folder)
    for commits in ("HEAD~2..HEAD~1", "HEAD~2..HEAD"):
        judging = read_judging(commits, folder)
        options = CheckOptions(
            rules=judging.policy, strict=judging.settings.strict, settings_changes=judging.changes, top=folder
        )
        yield answers(check_commits(commits, options, directory=folder))


# --- cases beside a dictionary


class World:
    """Stores scans and checks files beside them."""

    def __init__(self, store: Callable[..., Stored], shop: Stored, folder: Path) -> None:
        self.store, self.shop, self.folder = store, shop, folder

    def check(self, stored: Stored, text: Any = MORE, name: str = FILE, **options: Any) -> Answers:
        file = self.folder / name
        file.write_text(text if isinstance(text, str) else json.dumps(text, indent=2))
        return answers(stored.check(file, **{**BACKWARD, **options}))

    def with_json(self, text: str, **registry: str) -> Stored:
        versions, definitions = versions_of("orders.json-value", "JSON", [text])
        scan = installation()
        return self.store(
            replace(
                scan,
                registries=(replace(scan.registries[0], **registry),),
                versions=tuple(versions),
                definitions=tuple(definitions),
                topic_schemas=tuple(links_of("orders.json", versions)),
            )
        )

    def with_connector(self, **members: Any) -> Stored:
        scan = installation()
        return self.store(replace(scan, connectors=(*scan.connectors, replace(scan.connectors[0], **members))))


def stale(scan: ClusterScan) -> ClusterScan:
    """Return a scan during which the registry did not answer."""
    outcomes = tuple(
        read_result(one.source, SourceStatus.UNAVAILABLE) if one.kind == "schema_registry" else one
        for one in scan.outcomes
    )
    return replace(scan, outcomes=outcomes, versions=(), definitions=(), topic_schemas=())


def rescanned(world: World) -> Stored:
    stored = world.store(installation())
    write_scan(open_dictionary(stored.dictionary.url, create=False), installation(), started=AT, finished=AT)
    return stored


def named(world: World, **options: Any) -> Answers:
    """Return what two files are, of which one has an unknown name."""
    files = [world.folder / name for name in (FILE, "nobody-value.avsc")]
    for file in files:
        file.write_text(json.dumps(MORE))
    listed = proposed_files([str(file) for file in files[: options.pop("count")]])
    return answers(check_change(world.shop.dictionary, listed, CheckOptions(**BACKWARD), now=AT))


def tagged(world: World) -> Stored:
    """Store the installation with a tag on a column of orders."""
    fields = [{**one, "confluent:tags": ["PII"]} if one["name"] == "email" else one for one in AVRO["fields"]]
    versions, definitions = versions_of("orders.avro-value", "AVRO", [json.dumps({**AVRO, "fields": fields})])
    links = tuple(links_of("orders.avro", versions))
    return world.store(
        replace(installation(), versions=tuple(versions), definitions=tuple(definitions), topic_schemas=links)
    )


def lake(topic: str) -> str:
    config = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": topic, "s3.bucket.name": "b"}
    return json.dumps({"name": "lake", "config": config})


DAY = timedelta(days=1)
ODD = {"name": "odd", "connector_class": "com.acme.Odd", "config": (("connector.class", "x.Odd"),)}
STORED: Mapping[str, tuple[str, Callable[[World], Answers], Callable[[World], Answers]]] = {
    "incompatible": ("breaks", lambda w: w.check(w.shop, NEEDED), lambda w: w.check(w.shop, MORE)),
    "format-changed": (
        "breaks",
        lambda w: w.check(w.shop, RECORDED["versions"]["PROTOBUF"][-1], "orders.avro-value.proto"),
        lambda w: w.check(w.shop, MORE),
    ),
    "not-compared": (
        "unknown",
        lambda w: w.check(
            w.shop, '{"type": "object", "properties": {"a": {"$dynamicRef": "#a"}}}', "orders.json-value.json"
        ),
        lambda w: w.check(w.shop, MORE),
    ),
    "level-unknown": (
        "unknown",
        lambda w: w.check(w.shop, LESS, level=None),
        lambda w: w.check(w.shop, MORE, level=None),
    ),
    "older-registry": (
        "fine",
        lambda w: w.check(w.with_json(DRAFT % "draft-04"), DRAFT % "draft-07", "orders.json-value.json"),
        lambda w: w.check(
            w.with_json(DRAFT % "draft-04", server_version="8.5.0"), DRAFT % "draft-07", "orders.json-value.json"
        ),
    ),
    "symbols-removed": (
        "impact",
        lambda w: w.check(w.shop, ONE_SYMBOL, **NONE),
        lambda w: w.check(w.shop, MORE, **NONE),
    ),
    "unparsed": (
        "unknown",
        lambda w: w.check(w.shop, "INSERT INTO paid_avro SELECT id, amount FROM orders_avro;\nINSRT;", "shop.sql"),
        lambda w: w.check(w.shop, "INSERT INTO paid_avro SELECT id, amount FROM orders_avro;", "shop.sql"),
    ),
    "nothing-checked": (
        "unknown",
        lambda w: answers(check_change(w.shop.dictionary, ProposedFiles(proposals=()), now=AT)),
        lambda w: w.check(w.shop),
    ),
    "unknown-name": ("unknown", lambda w: named(w, count=2), lambda w: named(w, count=1)),
    "stale-source": (
        "unknown",
        lambda w: w.check(w.store(installation(), stale(installation()))),
        lambda w: w.check(w.shop),
    ),
    "old-source": (
        "unknown",
        lambda w: w.check(w.shop, max_age=DAY / 2, now=AT + DAY),
        lambda w: w.check(w.shop, max_age=DAY * 2, now=AT + DAY),
    ),
    "future-source": (
        "unknown",
        lambda w: w.check(w.shop, max_age=DAY, now=AT - DAY),
        lambda w: w.check(w.shop, max_age=DAY, now=AT),
    ),
    "no-graph": (
        "unknown",
        lambda w: w.check(w.store(installation(), graph=False), LESS, **NONE),
        lambda w: w.check(w.shop, LESS, **NONE),
    ),
    "old-graph": (
        "unknown",
        lambda w: w.check(rescanned(w), LESS, **NONE),
        lambda w: w.check(w.shop, LESS, **NONE),
    ),
    "unread-jobs": (
        "unknown",
        lambda w: w.check(w.with_connector(**ODD), LESS, **NONE),
        lambda w: w.check(w.with_connector(name="second"), LESS, **NONE),
    ),
    "tag-spread": (
        "fine",
        lambda w: w.check(tagged(w), lake("orders.avro"), "lake.json", allow_new=True),
        lambda w: w.check(tagged(w), lake("paid.avro"), "lake.json", allow_new=True),
    ),
}
"""Verdict, and changes beside a dictionary with a finding of the rule and without."""


@pytest.fixture(scope="module")
def ran(
    store: Callable[..., Stored], shop: Stored, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[str, Answers, Answers]]:
    """Return verdict and answers of a rule's cases, each run once."""
    known: dict[str, tuple[str, Answers, Answers]] = {}
    world = World(store, shop, tmp_path_factory.mktemp("cases"))

    def run(name: str) -> tuple[str, Answers, Answers]:
        if name not in known and name in COMMITS:
            fires, silent = of_commits(name, tmp_path_factory.mktemp(name))
            known[name] = COMMITS[name].verdict, fires, silent
        elif name not in known:
            verdict, fires_in, silent_in = STORED[name]
            known[name] = verdict, fires_in(world), silent_in(world)
        return known[name]

    return run


def test_each_rule_has_cases() -> None:
    """A new row needs a change with a finding of it, and a near one without."""
    assert {*COMMITS, *STORED} == set(RULES)


@pytest.mark.parametrize("name", sorted({*COMMITS, *STORED}))
def test_a_rule_fires_with_its_verdict_and_is_silent_for_a_near_change(name: str, ran: Any) -> None:
    verdict, fires, silent = ran(name)

    assert (name, verdict) in fires
    assert name not in {rule for rule, _ in silent}


def test_no_two_rules_can_be_exchanged(ran: Any) -> None:
    """If two rows were exchanged, the findings of one would be called like the other: a case has to notice."""
    unnoticed = []
    for pair in itertools.combinations(sorted({*COMMITS, *STORED}), 2):
        swap = dict(zip(pair, reversed(pair), strict=True))
        for name in pair:
            verdict, fires, silent = ran(name)
            exchanged, without = (
                {(swap.get(rule, rule), weight) for rule, weight in found} for found in (fires, silent)
            )
            if (name, verdict) not in exchanged or name in {rule for rule, _ in without}:
                break
        else:
            unnoticed.append(pair)

    assert unnoticed == []
