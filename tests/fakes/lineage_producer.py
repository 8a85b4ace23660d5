"""OpenLineage events as producers write them; each test says only what it is about."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_URL, uuid5

Json = Any

PRODUCER = "https://example.com/engine/1.2"
SPEC = "https://openlineage.io/spec"


def run_event(state: str = "COMPLETE", time: str = "2026-01-02T03:04:05.000Z", **more: Json) -> Json:
    """Write a RunEvent of the job shop/load; *job* and *run* replace its names, *inputs* and *outputs* are added."""
    return {
        "eventType": state,
        "eventTime": time,
        "producer": PRODUCER,
        "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(more.pop("run", "one")), "facets": more.pop("run_facets", {})},
        "job": {"namespace": "shop", "name": more.pop("job", "load"), "facets": more.pop("job_facets", {})},
        "inputs": more.pop("inputs", []),
        "outputs": more.pop("outputs", []),
    } | more


def run_id(name: str) -> str:
    """Return the UUID of the run that a test calls *name*."""
    return str(uuid5(NAMESPACE_URL, name))


def job_event(**more: Json) -> Json:
    """Write a JobEvent."""
    event = run_event(**more)
    del event["run"], event["eventType"]
    return event | {"schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent"}


def dataset_event(dataset: Json, time: str = "2026-01-02T03:04:05.000Z") -> Json:
    """Write a DatasetEvent."""
    url = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
    return {"eventTime": time, "producer": PRODUCER, "schemaURL": url, "dataset": dataset}


def dataset(namespace: str, name: str, /, **facets: Json) -> Json:
    """Write a dataset with facets."""
    return {"namespace": namespace, "name": name, "facets": facets}


def facet(name: str = "Some", version: str = "1-0-0", /, **members: Json) -> Json:
    """Write a facet of a version."""
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/facets/{version}/{name}.json#/$defs/{name}"} | members


def schema(*names: str) -> Json:
    """Write a schema of columns of type string."""
    return facet("SchemaDatasetFacet", fields=[{"name": name, "type": "string"} for name in names])


def lineage(namespace: str, name: str, /, **fields: str) -> Json:
    """Write the older facet of column lineage: each target column is a copy of one column of a dataset."""
    how = [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}]
    return facet(
        "ColumnLineageDatasetFacet",
        fields={
            target: {"inputFields": [{"namespace": namespace, "name": name, "field": origin, "transformations": how}]}
            for target, origin in fields.items()
        },
    )


def symlink(namespace: str, name: str, kind: str = "TABLE") -> Json:
    """Write another name of a dataset."""
    return facet("SymlinksDatasetFacet", identifiers=[{"namespace": namespace, "name": name, "type": kind}])
