"""OpenLineage events as jobs, over datasets as the events name them; `merge_jobs` resolves these names later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from dataflow_generator.graph import MASKED, Attributes, Certainty, NodeKind, present
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use, job_node
from dataflow_generator.openlineage.names import KAFKA
from scanner_dictionary.lineage_inputs.events import DatasetFlowsRow, FlowRow, LineageJobRow, UseRow
from scanner_model.openlineage import DatasetRef, Side

Json = Any

KIND = "openlineage"


def lineage_jobs(rows: Iterable[LineageJobRow]) -> Iterator[JobFlows]:
    """Yield a job for each of *rows*; facts from events are DECLARED, with producer and time as the evidence."""
    for row in rows:
        whose = f"job {row.namespace}/{row.name}"
        yield JobFlows(
            job=job_node(row.namespace, row.name, _attributes(row)),
            certainty=Certainty.DECLARED,
            reads=tuple(read for use in row.uses if use.side is Side.INPUT for read in _uses(use, whose)),
            writes=tuple(write for use in row.uses if use.side is Side.OUTPUT for write in _uses(use, whose)),
            columns=tuple(_flows(row.flows, whose)),
        )


def dataset_jobs(rows: Iterable[DatasetFlowsRow]) -> Iterator[JobFlows]:
    """Yield a job for each dataset whose lineage an event reports without naming a job."""
    for row in rows:
        columns = tuple(_flows(row.flows, f"dataset {row.ref.namespace}/{row.ref.name}"))
        evidence = {flow.source.dataset: flow.evidence for flow in reversed(columns)}
        yield JobFlows(
            job=job_node(row.ref.namespace, f"lineage of {row.ref.name}", present(type=KIND)),
            certainty=Certainty.DECLARED,
            reads=tuple(Use(dataset, evidence[dataset]) for dataset in sorted(evidence)),
            writes=tuple(Use(dataset, columns[0].evidence) for dataset in reported_datasets(row.ref) if columns),
            columns=columns,
        )


def dataset_attributes(bodies: Mapping[str, str]) -> Attributes:
    """Return the attributes of a dataset from its facets (JSON texts by name)."""
    facets = {name: json.loads(body) for name, body in bodies.items()}
    return present(
        dataset_type=_text(facets.get("datasetType"), "datasetType"),
        description=_text(facets.get("documentation"), "description"),
        owners=_named(facets.get("ownership"), "owners", "name"),
        tags=_tags(facets.get("tags")),
    )


def reported_datasets(ref: DatasetRef) -> tuple[GraphDataset, ...]:
    """Return the datasets behind a reference in an event; Flink lists several topics in one, with semicolons."""
    is_topic = ref.namespace[: len(KAFKA)].lower() == KAFKA
    names = filter(None, ref.name.split(";")) if is_topic else (ref.name,)
    return tuple(GraphDataset(NodeKind.TOPIC if is_topic else NodeKind.DATASET, ref.namespace, name) for name in names)


def _uses(use: UseRow, whose: str) -> Iterator[Use]:
    evidence = f"{_evidence(use.time, use.producer)}: {use.side} of {whose}"
    return (Use(dataset, evidence) for dataset in reported_datasets(use.ref))


def _flows(rows: Iterable[FlowRow], whose: str) -> Iterator[ColumnFlow]:
    for row in rows:
        flow, target = row.flow, row.flow.target or row.of
        if target is None or (flow.origin_path is None and flow.target_path is None):
            continue
        # Versions before 1-1-0 have no type: the inputs of a field are those it is computed from.
        type_ = flow.type or ("DIRECT" if flow.target_path is not None else "INDIRECT")
        subtype = MASKED if flow.masking and type_ == "DIRECT" else flow.subtype
        evidence = f"{_evidence(row.time, row.producer)}: {row.facet} of {whose}" + (", masked" if flow.masking else "")
        for source, sink in product(reported_datasets(flow.origin), reported_datasets(target)):
            ends = ColumnRef(source, flow.origin_path), ColumnRef(sink, flow.target_path)
            yield ColumnFlow(*ends, type_, subtype, evidence)


def _evidence(time: str, producer: str) -> str:
    return f"OpenLineage event of {time[:19]}Z from {producer}"


def _attributes(row: LineageJobRow) -> Attributes:
    facets = {name: json.loads(body) for name, body in row.facets.items()}
    kind, engine = facets.get("jobType", {}), facets.get("processing_engine", {})
    version = f"{_text(engine, 'name')} {_text(engine, 'version')}".strip()
    return present(
        type=KIND,
        description=_text(facets.get("documentation"), "description"),
        emission=_emission(kind),
        engine=version,
        integration=_text(kind, "integration"),
        job_type=_text(kind, "jobType"),
        owners=_named(facets.get("ownership"), "owners", "name"),
        parent=_parent(facets.get("parent")),
        processing=_text(kind, "processingType"),
        producer=row.producer,
        source_code=_text(facets.get("sourceCodeLocation"), "url"),
        state=row.state,
        statement=_text(facets.get("sql"), "query"),
        tags=_tags(facets.get("tags")),
    )


def _emission(job_type: Json) -> str:
    """Return when a job's events are emitted, and what they contain, in OpenLineage's terms; empty if not reported."""
    pattern = job_type.get("emissionPattern") if isinstance(job_type, Mapping) else None
    return " ".join(filter(None, (_text(pattern, "eventTrigger"), _text(pattern, "eventContentMode"))))


def _text(facet: Json, member: str) -> str:
    value = facet.get(member) if isinstance(facet, Mapping) else None
    return value if isinstance(value, str) else ""


def _named(facet: Json, member: str, name: str) -> tuple[str, ...]:
    listed = facet.get(member) if isinstance(facet, Mapping) else None
    return tuple(sorted({_text(entry, name) for entry in listed or ()} - {""}))


def _tags(facet: Json) -> tuple[str, ...]:
    listed = facet.get("tags") if isinstance(facet, Mapping) else None
    pairs = ((_text(tag, "key"), _text(tag, "value")) for tag in listed or ())
    return tuple(sorted({f"{key}={value}" if value else key for key, value in pairs} - {""}))


def _parent(facet: Json) -> str:
    job = facet.get("job") if isinstance(facet, Mapping) else None
    return f"{_text(job, 'namespace')}/{_text(job, 'name')}" if job else ""
