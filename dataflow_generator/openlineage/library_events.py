"""Events as openlineage-python's types: facets stay JSON, but those that the library adds to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dataflow_generator.openlineage.run_events import Event

if TYPE_CHECKING:
    from openlineage.client.event_v2 import DatasetEvent, JobEvent, RunEvent

Json = Any


def typed(event: Event) -> RunEvent | JobEvent | DatasetEvent:
    """Give *event* as the library's type."""
    from openlineage.client import event_v2

    named = {"eventTime": event["eventTime"], "producer": event["producer"]}
    if "dataset" in event:
        return event_v2.DatasetEvent(**named, dataset=event_v2.StaticDataset(**event["dataset"]))
    job = event_v2.Job(**event["job"] | {"facets": _facets(event["job"]["facets"])})
    inputs = [event_v2.InputDataset(**each) for each in event["inputs"]]
    outputs = [event_v2.OutputDataset(**each) for each in event["outputs"]]
    if "run" not in event:
        return event_v2.JobEvent(**named, job=job, inputs=inputs, outputs=outputs)
    run = event_v2.Run(runId=event["run"]["runId"], facets=dict(event["run"]["facets"]))
    state = event_v2.RunState(event["eventType"])
    return event_v2.RunEvent(**named, eventType=state, run=run, job=job, inputs=inputs, outputs=outputs)


def _facets(facets: Mapping[str, Json]) -> dict[str, Json]:
    """Give a job's facets; its tags as the library's type, because it adds those that its configuration names."""
    if "tags" not in facets:
        return dict(facets)
    from openlineage.client.facet_v2 import tags_job

    told = facets["tags"]
    fields = [tags_job.TagsJobFacetFields(**each) for each in told["tags"]]
    return dict(facets) | {"tags": tags_job.TagsJobFacet(tags=fields, producer=told["_producer"])}
