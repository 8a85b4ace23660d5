"""Tests for policies and inherited tags, on the bundled example."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import scanner_api
import scanner_extractor.config
from dataflow_generator.stored.column_tags import inherited_in
from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import columns
from scanner_api.questions.personal_data import personal_data
from scanner_api.questions.topic_schemas import topic_schemas
from scanner_api.questions.topics import describe_topic
from scanner_check.check import check_change
from scanner_check.inputs.files import proposed_files
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import PathRule
from scanner_check.model import Verdict
from scanner_check.policy import POLICY_RULES, ClusterPolicy, apply_policy
from scanner_model.errors import InputInvalid
from scanner_model.policy import ForbiddenFlow, Waiver

EXAMPLE = Path(__file__).parents[2] / "examples" / "retail"
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
NO_FILES = ClusterPolicy(forbidden=(ForbiddenFlow("PII", ("s3://*", "file/*")),))

INHERITED = [
    "order-mails.recipient: computed from cdc.customers.payload.email in 1",
    "orders-enriched.customer_email: computed from cdc.customers.payload.email in 1",
    "orders-enriched.customer_name: copied from cdc.customers.payload.name in 1",
    "retail.orders.customer.address.street: copied from orders.customer.address.street in 1",
    "retail.orders.customer.email: copied from orders.customer.email in 1",
    "retail.orders.payment.<com.acme.retail.Card>.last4: copied from orders.payment.<com.acme.retail.Card>.last4 in 1",
    "orders.txt.customer.address.street: copied from orders.customer.address.street in 1",
    "orders.txt.customer.email: copied from orders.customer.email in 1",
    "orders.txt.payment.<com.acme.retail.Card>.last4: copied from orders.payment.<com.acme.retail.Card>.last4 in 1",
    "warehouse.public.crm_customers.email: copied from cdc.customers.payload.email in 1",
    "warehouse.public.crm_customers.full_name: copied from cdc.customers.payload.name in 1",
    "warehouse.public.order_facts.customer_name: copied from cdc.customers.payload.name in 2",
    "warehouse.public.order_facts.email: computed from cdc.customers.payload.email in 2",
]


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the bundled example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("retail") / "dictionary.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def test_the_copies_of_personal_columns_are_named_one_by_one(dictionary) -> None:
    """Counted by hand in the lineage of the example: 8 columns declare the tag, 13 inherit it."""
    rows = columns(dictionary, tag="pii", tags="inherited")

    found = [
        f"{(row.topic or row.dataset).rpartition('/')[2]}.{row.name}: "
        f"{row.found_tags[0].flow} from {row.found_tags[0].origin} in {row.found_tags[0].steps}"
        for row in rows
    ]
    assert found == INHERITED
    assert len(columns(dictionary, tag="PII", tags="declared")) == 8
    assert len(columns(dictionary, tag="PII")) == 21


def test_a_topic_and_its_schemas_have_the_tags_that_their_columns_inherit(dictionary) -> None:
    """Beside what they declare, with origin and steps; columns that only flows know have them at the topic."""
    enriched = describe_topic(dictionary, topic="orders-enriched").found_tags or {}
    orders = describe_topic(dictionary, topic="orders")

    assert {name: (tag.origin, tag.steps) for name, (tag,) in enriched.items()} == {
        "customer_email": ("cdc.customers.payload.email", 1),
        "customer_name": ("cdc.customers.payload.name", 1),
    }
    assert [schema.found_tags for schema in (*orders.schemas, *topic_schemas(dictionary, topic="orders"))] == [{}] * 6


def test_the_list_of_columns_has_inherited_tags_of_all_and_of_few_datasets(dictionary) -> None:
    """The flows to a few datasets are followed back, to many from the columns with tags: the answer is the same."""
    listed = [row for row in columns(dictionary) if row.found_tags]
    with dictionary.reading() as conn:
        everywhere = inherited_in(conn)

    assert len(listed) == len(INHERITED)
    assert sorted(tags for row in listed for tags in row.found_tags) == sorted(
        tag for tags in (everywhere or {}).values() for tag in tags
    )


def test_each_step_of_an_inherited_tag_has_its_evidence(dictionary) -> None:
    (row,) = columns(dictionary, tag="*", tags="inherited", pattern="customer_name", cluster=None, name=None)[1:]

    assert [step.split(": ")[0] for step in row.found_tags[0].path] == [
        "cdc.customers.payload.name → orders-enriched.customer_name",
        "orders-enriched.customer_name → warehouse.public.order_facts.customer_name",
    ]
    assert "statement flink/retail.sql:2" in row.found_tags[0].path[0]


def test_pages_of_tagged_columns_continue_where_the_one_before_ended(dictionary) -> None:
    first = columns(dictionary, tag="PII", limit=20)
    rest = columns(dictionary, tag="PII", limit=20, cursor=first.next_cursor)

    assert (*first, *rest) == tuple(columns(dictionary, tag="PII"))
    assert rest.next_cursor is None


@pytest.mark.parametrize(("tag", "near"), [("PI", ("PII",)), ("pii", ()), ("orders", ())])
def test_a_tag_that_no_column_has_names_the_tags_that_are_like_it(
    dictionary: Dictionary, tag: str, near: object
) -> None:
    """No topic or column is suggested, as `pizza` for PII."""
    assert columns(dictionary, tag=tag, limit=5).did_you_mean == near


@pytest.mark.parametrize("options", [{}, {"name": "email"}, {"cluster": "retail"}, {"pattern": "*.email"}])
def test_pages_of_declared_tags_have_the_rows_of_the_whole_list(dictionary, options) -> None:
    whole = columns(dictionary, tag="PII", tags="declared", **options)
    paged, cursor = [], None
    while cursor is not None or not paged:
        page = columns(dictionary, tag="PII", tags="declared", limit=1, cursor=cursor, **options)
        paged, cursor = [*paged, *page], page.next_cursor

        assert len(page) == 1
        if cursor is None:
            break

    assert tuple(paged) == tuple(whole)


def test_without_a_graph_inherited_tags_are_not_known(tmp_path) -> None:
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    page = columns(dictionary, tag="PII")

    assert len(page) == 8
    assert not page.complete
    (finding,) = apply_policy(dictionary, NO_FILES, now=NOON).findings
    assert (finding.where, finding.rule) == ("the graph", "policy-forbidden-flow")


def test_a_forbidden_flow_is_found_with_its_path_and_a_waiver_lets_it_pass(dictionary) -> None:
    found = apply_policy(dictionary, NO_FILES, now=NOON).findings

    assert [finding.where.rpartition("orders.txt.")[2] for finding in found] == [
        "customer.address.street",
        "customer.email",
        "payment.<com.acme.retail.Card>.last4",
    ]
    assert all(finding.cluster == "retail" and "connector orders-as-json" in finding.what for finding in found)
    waiver = Waiver("policy-forbidden-flow", "column */orders.txt.*", "the lab only", NOON.date())
    waived = apply_policy(dictionary, ClusterPolicy(forbidden=NO_FILES.forbidden, waivers=(waiver,)), now=NOON)
    assert waived.findings == ()
    assert waived.notes[1:] == (
        "policy: 3 of policy-forbidden-flow at column */orders.txt.* let pass until 2026-11-23: the lab only",
    )


@pytest.mark.parametrize(
    ("policy", "first", "count"),
    [
        (ClusterPolicy(topic_owner=True), "topic audit-lines: it has no owner", 8),
        (ClusterPolicy(topic_names=("[a-z0-9.-]+",)), "topic orders.RETRY: its name fits none of [a-z0-9.-]+", 1),
        (ClusterPolicy(required_tags=("domain",)), "topic audit-lines: it has no tag domain", 24),
        (
            ClusterPolicy(compatibility="BACKWARD"),
            "subject address.schema.json: its compatibility level is not known, BACKWARD is asked for",
            16,
        ),
    ],
)
def test_each_rule_names_the_place_and_the_reason(dictionary, policy, first, count) -> None:
    found = apply_policy(dictionary, policy, now=NOON).findings

    assert (f"{found[0].where}: {found[0].what}", len(found)) == (first, count)


def test_suggested_columns_want_a_tag_unless_a_waiver_rejects_the_suggestion(dictionary) -> None:
    found = apply_policy(dictionary, ClusterPolicy(tagged=("PII",)), now=NOON).findings
    places = {finding.where for finding in found}

    assert "column payments.iban" in places
    assert "column customers.name" not in places
    waiver = Waiver("policy-untagged-column", "column payments.iban", "of a company", NOON.date())
    left = apply_policy(dictionary, ClusterPolicy(tagged=("PII",), waivers=(waiver,)), now=NOON).findings
    assert places - {finding.where for finding in left} == {"column payments.iban"}


def test_what_a_policy_names_and_nothing_has_is_said(dictionary) -> None:
    """A tag or a system with a mistake in it would never be found to break a rule."""
    policy = ClusterPolicy(
        tagged=("PII", "PIX"),
        forbidden=(ForbiddenFlow("PII", ("s4://*", "*crm*")), ForbiddenFlow("Secret", ("*crm*",))),
    )
    expected = (
        "policy: no dataset fits s4://*, which `forbidden` names for PII",
        "policy: no column declares Secret, which `forbidden` names: nothing is judged by that",
        "policy: no rule suggests PIX, which `tagged` names: nothing is judged by that",
    )

    assert apply_policy(dictionary, policy, now=NOON).notes == expected
    file = str(EXAMPLE / "proposed" / "orders-value.avsc")
    assert check_change(dictionary, proposed_files([file]), CheckOptions(rules=policy), now=NOON).notes == expected


def test_waivers_name_the_rules_that_there_are() -> None:
    schema = json.loads(Path(scanner_extractor.config.__path__[0], "cluster.schema.json").read_text("utf-8"))
    waiver = schema["properties"]["policy"]["properties"]["waivers"]["items"]["properties"]

    assert set(waiver["rule"]["enum"]) == POLICY_RULES


def test_undocumented_fields_are_counted_by_subject(dictionary) -> None:
    found = apply_policy(dictionary, ClusterPolicy(field_documentation=True), now=NOON).findings

    assert any(finding.where == "subject orders-value" and "have no documentation" in finding.what for finding in found)


@pytest.mark.parametrize("policy", [ClusterPolicy(field_documentation=True), ClusterPolicy(tagged=("PII",))])
def test_a_topic_whose_columns_are_not_known_passes_no_rule_about_columns(dictionary, policy) -> None:
    """No schema describes it, so nothing can be said of its fields."""
    found = apply_policy(dictionary, policy, now=NOON).findings

    assert any(finding.where == "topic cdc.orders" and "not known" in finding.what for finding in found)
    assert not any(finding.where == "topic orders" for finding in found)


def test_decisions_in_cluster_json_declare_a_tag_or_end_its_suggestion(tmp_path) -> None:
    """An accepted tag flows on, a rejected one is listed with --tags all only; both say who decided, when and why."""
    fields = ["id", "email", "iban"]
    tables = [{"name": "people", "schemas": [{"format": "JSON", "columns": fields}]}, {"name": "copies"}]
    flow = {"from": "people", "to": "copies", "columns": [{"from": "email", "to": "mail"}]}
    (tmp_path / "topics.json").write_text(json.dumps({"topics": tables, "flows": [flow]}), "utf-8")
    about = {"dataset": "people", "tag": "PII", "by": "ann", "on": "2026-11-20"}
    decisions = [
        about | {"column": "email", "decision": "accepted"},
        about | {"column": "iban", "decision": "rejected", "reason": "of a company"},
    ]
    config = {"cluster": "shop", "brokers": "localhost:29095", "manual_input": ["topics.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config | {"personal_data": {"decisions": decisions}}), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    found = [(row.dataset, row.column, row.found, row.why[:1]) for row in personal_data(dictionary)]
    assert found[0] == ("people", "email", "declared", ("accepted by ann on 2026-11-20",))
    assert [row[:3] for row in found[1:]] == [("copies", "mail", "inherited")]
    declared = columns(dictionary, tag="PII", tags="declared")
    assert [row.name for row in declared] == ["email"]
    assert columns(dictionary, tag="PII", tags="declared", limit=1) == declared
    (value,) = describe_topic(dictionary, topic="people").schemas
    assert [column.tags for column in value.columns] == [(), ("PII",), ()]
    (rejected,) = [row for row in columns(dictionary, tag="PII", tags="all") if row.name == "iban"]
    assert rejected.found_tags[0].certainty == "rejected"
    assert rejected.found_tags[0].path == ("rejected by ann on 2026-11-20: of a company",)
    assert {finding.where for finding in apply_policy(dictionary, ClusterPolicy(tagged=("PII",))).findings} == {
        "topic copies"
    }


TABLE = "postgres://db:5432/shop.public.people"


@pytest.mark.parametrize(("dataset", "column"), [(TABLE, "email"), ("copies", "email")])
def test_decisions_on_columns_that_only_flows_know_count_as_others(tmp_path, dataset, column) -> None:
    """A table of a sink without its database, and a topic without a schema."""
    people = {"name": "people", "schemas": [{"format": "JSON", "columns": ["id", "x", "y"]}]}
    table = {"namespace": "postgres://db:5432", "name": "shop.public.people"}
    pairs = [{"from": "x", "to": "email"}, {"from": "y", "to": "iban"}]
    flows = [{"from": "people", "to": end, "columns": pairs} for end in (table, "copies")]
    flows.append({"from": {**table, "column": "email"}, "to": {"topic": "last", "column": "mail"}})
    flows.append({"from": {"topic": "copies", "column": "email"}, "to": {"topic": "last", "column": "mail"}})
    topics = [people, {"name": "copies"}, {"name": "last"}]
    (tmp_path / "topics.json").write_text(json.dumps({"topics": topics, "flows": flows}), "utf-8")
    config = {"cluster": "shop", "brokers": "localhost:29095", "manual_input": ["topics.json"]}
    about = {"dataset": dataset, "tag": "PII", "by": "ann", "on": "2026-11-20"}
    decisions = [about | {"column": column, "decision": "accepted"}, about | {"column": "iban", "decision": "rejected"}]

    def scanned(**members: object) -> Dictionary:
        (tmp_path / "cluster.json").write_text(json.dumps(config | members), "utf-8")
        dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
        scanner_api.scan([tmp_path / "cluster.json"], dictionary)
        scanner_api.generate(dictionary)
        return dictionary

    before = {(row.dataset, row.column, row.found) for row in personal_data(scanned())}
    assert {(dataset, "email", "suggested"), (dataset, "iban", "suggested")} <= before
    dictionary = scanned(personal_data={"decisions": decisions})
    after = {(row.dataset, row.column): row for row in personal_data(dictionary)}
    assert (after[dataset, column].found, after[dataset, column].why) == (
        "declared",
        ("accepted by ann on 2026-11-20",),
    )
    assert (after["last", "mail"].found, after["last", "mail"].steps) == ("inherited", 1)
    assert (dataset, "iban") not in after
    (declared,) = columns(dictionary, tag="PII", tags="declared")
    assert (declared.topic or declared.dataset, declared.name, declared.tags) == (dataset, column, ("PII",))
    assert [row.tags for row in columns(dictionary, pattern="email") if (row.topic or row.dataset) == dataset] == [
        ("PII",)
    ]
    (last,) = [row for row in columns(dictionary, pattern="mail") if row.topic == "last"]
    assert [tag.origin for tag in last.found_tags] == [f"{dataset.rpartition('/')[2]}.email"]
    rules = ClusterPolicy(tagged=("PII",), forbidden=(ForbiddenFlow("PII", (f"*{dataset}",)),))
    found = {(finding.rule, finding.where) for finding in apply_policy(dictionary, rules).findings}
    name = f"column {dataset.rpartition('/')[2]}"
    assert ("policy-forbidden-flow", f"{name}.email") in found
    assert not {("policy-untagged-column", f"{name}.email"), ("policy-untagged-column", f"{name}.iban")} & found


RULES = '[[rule]]\ntag = "SECRET"\nkind = "a recipe"\nwords = ["recipe", "oven"]\n'


def with_rules(directory: Path, patterns: list[str]) -> Path:
    """Write a cluster.json with topics of cakes that names rules of its own."""
    topic = {"name": "cakes", "schemas": [{"format": "JSON", "columns": ["id", "recipe", "email"]}]}
    (directory / "topics.json").write_text(json.dumps({"topics": [topic]}), "utf-8")
    config = {"cluster": "shop", "brokers": "localhost:29095", "manual_input": ["topics.json"]}
    file = directory / "cluster.json"
    file.write_text(json.dumps(config | {"personal_data": {"rules": patterns}}), "utf-8")
    return file


def test_rules_of_cluster_json_suggest_tags_on_every_face(tmp_path) -> None:
    """They are stored with the scan, so that what only has the dictionary uses them, too."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.toml").write_text(RULES, "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([with_rules(tmp_path, ["rules/*.toml"])], dictionary)
    scanner_api.generate(dictionary)
    (tmp_path / "rules" / "own.toml").unlink()

    (row,) = personal_data(dictionary, tag="SECRET")
    assert (row.column, row.found, row.why) == ("recipe", "suggested", ("a recipe: its name has 'recipe'",))
    assert [row.column for row in personal_data(dictionary)] == ["email"]
    assert [row.name for row in columns(dictionary, tag="SECRET", tags="suggested")] == ["recipe"]
    (finding,) = apply_policy(dictionary, ClusterPolicy(tagged=("SECRET",))).findings
    assert finding.where == "column cakes.recipe"


@pytest.mark.parametrize(
    ("patterns", "text", "what"),
    [(["no/*.toml"], RULES, "matches no file"), (["own.toml"], "[[rule]]", "no rules can be read: KeyError('tag')")],
)
def test_rules_that_are_missing_or_wrong_stop_the_scan_with_their_place(tmp_path, patterns, text, what) -> None:
    (tmp_path / "own.toml").write_text(text, "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)

    with pytest.raises(InputInvalid) as raised:
        scanner_api.scan([with_rules(tmp_path, patterns)], dictionary)

    assert what in str(raised.value)
    assert "$.personal_data.rules[0]" in str(raised.value)


def test_a_job_whose_columns_are_not_known_does_not_pass_as_harmless(tmp_path) -> None:
    """Personal data may be in what it writes, and in a topic without a schema."""
    spec = {"class": "FileStreamSink", "config": {"topics": "raw", "file": "/tmp/raw.txt"}}
    kinds = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector"}
    (tmp_path / "sink.yaml").write_text(json.dumps(kinds | {"metadata": {"name": "raw"}, "spec": spec}), "utf-8")
    (tmp_path / "topics.json").write_text(json.dumps({"topics": [{"name": "raw"}]}), "utf-8")
    config = {"cluster": "shop", "brokers": "localhost:29095", "manual_input": ["topics.json"]}
    (tmp_path / "cluster.json").write_text(json.dumps(config | {"files": [{"path": "sink.yaml"}]}), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    (finding,) = apply_policy(dictionary, NO_FILES, now=NOON).findings
    assert finding.where.startswith("dataset file/")
    assert finding.what == "job raw writes it, and which columns is not known"


def test_a_waiver_of_a_column_in_lists_fits_its_own_name() -> None:
    """Brackets are of the path, no set of letters."""
    where = "column orders.lines.[].taxes.[].rate"
    policy = ClusterPolicy(waivers=(Waiver("policy-untagged-column", where, "no person", NOON.date()),))

    assert policy.waiver("policy-untagged-column", where, NOON.date())
    assert ForbiddenFlow("PII", ("s3://[lake]/*",)).is_broken("PII", "s3://[lake]/a")


def sink(tmp_path: Path, **settings: str) -> Path:
    """Write the configuration of a connector that would send customers to S3."""
    config = {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "customers",
        "s3.bucket.name": "lake",
        "format.class": "io.confluent.connect.s3.format.json.JsonFormat",
        **settings,
    }
    file = tmp_path / "customers-to-lake.json"
    file.write_text(json.dumps({"name": "customers-to-lake", "config": config}), "utf-8")
    return file


def test_a_proposed_sink_of_a_personal_column_is_noted_and_a_policy_stops_it(dictionary, tmp_path) -> None:
    files = proposed_files([str(sink(tmp_path))])
    noted = check_change(dictionary, files, CheckOptions(allow_new=True), now=NOON)
    stopped = check_change(dictionary, files, CheckOptions(allow_new=True, rules=NO_FILES), now=NOON)

    assert noted.verdict is Verdict.FINE
    assert [finding.what for finding in noted.findings if finding.rule == "tag-spread"] == [
        "topics/customers.name gets PII, from customers.name, copied, 1 step"
    ]
    assert stopped.verdict is Verdict.BREAKS
    assert stopped.findings[0].rule == "policy-forbidden-flow" or "policy-forbidden-flow" in {
        finding.rule for finding in stopped.findings
    }


def test_a_new_sink_that_a_rule_of_paths_names_does_not_escape_the_policy(dictionary, tmp_path) -> None:
    """With `--allow-new` it is a mistake no more, and is judged as one without a rule."""
    rules = [PathRule.parse("{connector}.json")]
    options = CheckOptions(allow_new=True, rules=NO_FILES)
    report = check_change(dictionary, proposed_files([str(sink(tmp_path))], rules=rules), options, now=NOON)

    assert "policy-forbidden-flow" in {finding.rule for finding in report.findings}
    assert report.verdict is Verdict.BREAKS


def test_a_new_statement_that_a_rule_of_paths_names_does_not_escape_the_policy(dictionary, tmp_path) -> None:
    file = tmp_path / "copy.sql"
    file.write_text(
        "CREATE TABLE lake (full_name STRING) WITH ('connector'='filesystem','path'='s3://lake/people');\n"
        "CREATE TABLE c (name STRING) WITH ('connector'='kafka','topic'='customers','format'='json',"
        "'properties.bootstrap.servers'='127.0.0.1:29092');\n"
        "INSERT INTO lake SELECT name FROM c;\n",
        "utf-8",
    )
    options = CheckOptions(allow_new=True, rules=NO_FILES, dialect="flink")
    files = proposed_files([str(file)], rules=[PathRule.parse("{statement}.sql")])

    assert "policy-forbidden-flow" in {finding.rule for finding in check_change(dictionary, files, options).findings}


@pytest.mark.parametrize(("day", "verdict"), [(31, Verdict.FINE), (30, Verdict.BREAKS)])
def test_a_waiver_lets_a_proposed_sink_pass_until_its_day(dictionary, tmp_path, day, verdict) -> None:
    last = datetime(2026, 12, day, tzinfo=UTC).date()
    waiver = Waiver("policy-forbidden-flow", "column topics/customers.*", "moved in January", last)
    rules = ClusterPolicy(forbidden=NO_FILES.forbidden, waivers=(waiver,))
    at = datetime(2026, 12, 31, 23, tzinfo=UTC)
    report = check_change(
        dictionary, proposed_files([str(sink(tmp_path))]), CheckOptions(allow_new=True, rules=rules), now=at
    )

    assert report.verdict is verdict


HIDING = {
    "transforms": "hide",
    "transforms.hide.type": "org.apache.kafka.connect.transforms.MaskField$Value",
    "transforms.hide.fields": "name",
}


def test_a_sink_that_masks_the_column_is_fine(dictionary, tmp_path) -> None:
    report = check_change(
        dictionary,
        proposed_files([str(sink(tmp_path, **HIDING))]),
        CheckOptions(allow_new=True, rules=NO_FILES),
        now=NOON,
    )

    assert report.verdict is Verdict.FINE
    assert not any("PII" in finding.what for finding in report.findings)


def test_a_connector_that_masks_a_column_no_more_is_stopped(tmp_path) -> None:
    """It writes the columns that it wrote: only the transform is gone."""
    shown = json.loads(sink(tmp_path, **{"flush.size": "5"}).read_text("utf-8"))
    hidden = sink(tmp_path, **HIDING)
    schema = {"type": "record", "name": "C", "fields": [{"name": "name", "type": "string", "confluent:tags": ["PII"]}]}
    (tmp_path / "customers-value.avsc").write_text(json.dumps(schema), "utf-8")
    config = {"cluster": "shop", "brokers": "localhost:9092", "repositories": [{"path": ".", "name": "shop"}]}
    (tmp_path / "cluster.json").write_text(json.dumps(config), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "dictionary.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)
    hidden.write_text(json.dumps(shown), "utf-8")
    report = check_change(dictionary, proposed_files([str(hidden)]), CheckOptions(rules=NO_FILES), now=NOON)

    (found,) = (finding for finding in report.findings if finding.rule == "policy-forbidden-flow")
    assert found.what.startswith("topics/customers.name gets PII, from customers.name, copied, 1 step")
    assert report.verdict is Verdict.BREAKS


def test_a_copy_of_a_record_that_holds_a_personal_column_inherits_its_tag(tmp_path) -> None:
    """A statement that selects the record says nothing of its fields."""
    statement = (
        "CREATE TABLE o (id STRING, customer ROW<name STRING, email STRING>) WITH ('connector'='kafka','topic'='orders'"
        ",'format'='json','properties.bootstrap.servers'='localhost:29095');\n"
        "CREATE TABLE x (id STRING, who ROW<name STRING, email STRING>) WITH ('connector'='kafka','topic'='copies'"
        ",'format'='json','properties.bootstrap.servers'='localhost:29095');\n"
        "INSERT INTO x SELECT id, customer FROM o;\n"
    )
    fields = ["id", {"name": "customer", "columns": ["name", {"name": "email", "tags": ["PII"]}]}]
    manual = {"cluster": "shop", "topics": [{"name": "orders", "schemas": [{"format": "JSON", "columns": fields}]}]}
    (tmp_path / "manual.json").write_text(json.dumps(manual), "utf-8")
    (tmp_path / "copy.sql").write_text(statement, "utf-8")
    config = {"cluster": "shop", "brokers": "localhost:29095", "manual_input": ["manual.json"]}
    flink = [{"type": "sql-files", "name": "jobs", "path": "*.sql"}]
    (tmp_path / "cluster.json").write_text(json.dumps(config | {"flink": flink}), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    (row,) = columns(dictionary, tag="PII", tags="inherited")
    assert (row.topic, row.name, row.found_tags[0].origin) == ("copies", "who", "orders.customer")
