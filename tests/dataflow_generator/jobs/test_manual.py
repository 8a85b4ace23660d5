"""Flows that are declared by hand or by deployment files, and those that source code suggests, as jobs."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.manual import manual_jobs
from dataflow_generator.jobs.model import JobFlows, Naming
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import SourceId

NAMING = Naming([("c", ("broker:9092",))])


def flow(origin: str, target: str, *, suggested: bool = False) -> DeclaredFlow:
    return DeclaredFlow(
        source=SourceId("files"),
        origin=FlowEnd(name=origin),
        target=FlowEnd(name=target),
        job="shop",
        description="",
        evidence=f"{origin}-{target}",
        suggested=suggested,
    )


def only_job(*flows: DeclaredFlow) -> JobFlows:
    (job,) = manual_jobs((("c", each) for each in flows), NAMING)
    return job


def passed_on(job: JobFlows) -> set[tuple[str, str]]:
    """Return what a job reads with what it writes of it: a use without a route is on every one."""
    return {
        (read.dataset.name, write.dataset.name)
        for read in job.reads
        for write in job.writes
        if not read.route or not write.route or read.route == write.route
    }


def test_a_declared_job_writes_from_everything_that_it_reads():
    assert passed_on(only_job(flow("a", ""), flow("", "b"))) == {("a", "b")}


def test_code_passes_on_only_what_it_shows():
    job = only_job(flow("a", "b", suggested=True), flow("c", "", suggested=True), flow("", "d", suggested=True))
    assert passed_on(job) == {("a", "b")}
    assert {read.dataset.name for read in job.reads} == {"a", "c"}
    assert {write.dataset.name for write in job.writes} == {"b", "d"}


def test_code_suggests_and_files_declare():
    assert only_job(flow("a", "b", suggested=True)).certainty is Certainty.SUGGESTED
    assert only_job(flow("a", "b")).certainty is Certainty.DECLARED


def test_a_list_of_users_passes_nothing_on_and_is_declared():
    listed = [replace(flow("a", ""), separate=True), replace(flow("", "b"), separate=True)]
    job = only_job(*listed, flow("c", "d", suggested=True))

    assert passed_on(job) == {("c", "d")}
    known = {use.dataset.name: use.certainty or job.certainty for use in (*job.reads, *job.writes)}
    assert known == {
        "a": Certainty.DECLARED,
        "b": Certainty.DECLARED,
        "c": Certainty.SUGGESTED,
        "d": Certainty.SUGGESTED,
    }


def test_topics_that_a_pattern_matches_are_read() -> None:
    """Spark reads by a pattern of Java; without a topic that matches, the pattern is all that is known."""
    flows = [("c", flow("regex:audit-.*", "all", suggested=True))]

    (known,) = manual_jobs(flows, NAMING, lambda: {"c": ("audit-eu", "audit-us", "orders")})
    (unknown,) = manual_jobs(flows, NAMING, lambda: {"c": ("orders",)})

    assert passed_on(known) == {("audit-eu", "all"), ("audit-us", "all")}
    assert [(use.dataset.kind, use.dataset.name) for use in unknown.reads] == [(NodeKind.DATASET, "regex:audit-.*")]


def test_flow_between_columns_has_the_effect_that_it_is_declared_with() -> None:
    columns = replace(
        flow("orders", "big", suggested=True), origin=FlowEnd(name="orders", path=("a",)), effect="CONDITIONAL"
    )
    columns = replace(columns, target=FlowEnd(name="big", path=("b",)))

    assert [(each.type, each.subtype) for each in only_job(columns).columns] == [("INDIRECT", "CONDITIONAL")]


def test_program_that_copies_a_table_without_listing_its_columns_is_read_in_part() -> None:
    listed = replace(flow("a", "b", suggested=True), origin=FlowEnd(name="a", path=("id",)), effect="JOIN")
    copied = replace(flow("a", "b", suggested=True), effect="IDENTITY")

    jobs = [only_job(*flows) for flows in ((flow("a", "b", suggested=True), listed), (copied, listed))]

    assert [dict(job.job.attributes).get("partly_read", False) for job in jobs] == [False, True]
