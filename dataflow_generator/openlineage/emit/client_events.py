"""openlineage-python: convert events to its types, and collect console output, warnings and failures from its log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.redaction import clean_text

if TYPE_CHECKING:
    from openlineage.client.event_v2 import DatasetEvent, JobEvent, RunEvent


Json = Any


def typed(event: Event) -> RunEvent | JobEvent | DatasetEvent:
    """Return *event* as the library's type."""
    from openlineage.client import event_v2

    named = {"eventTime": event["eventTime"], "producer": event["producer"]}
    if "dataset" in event:
        return event_v2.DatasetEvent(**named, dataset=event_v2.StaticDataset(**event["dataset"]))
    job = event_v2.Job(**event["job"] | {"facets": _facets(event["job"]["facets"])})
    inputs = [event_v2.InputDataset(**dataset) for dataset in event["inputs"]]
    outputs = [event_v2.OutputDataset(**dataset) for dataset in event["outputs"]]
    if "run" not in event:
        return event_v2.JobEvent(**named, job=job, inputs=inputs, outputs=outputs)
    run = event_v2.Run(runId=event["run"]["runId"], facets=dict(event["run"]["facets"]))
    state = event_v2.RunState(event["eventType"])
    return event_v2.RunEvent(**named, eventType=state, run=run, job=job, inputs=inputs, outputs=outputs)


def _facets(facets: Mapping[str, Json]) -> dict[str, Json]:
    """Return a job's facets; tags as the library's type, because it adds those of its own configuration."""
    if "tags" not in facets:
        return dict(facets)
    from openlineage.client.facet_v2 import tags_job

    tags = facets["tags"]
    fields = [tags_job.TagsJobFacetFields(**tag) for tag in tags["tags"]]
    return dict(facets) | {"tags": tags_job.TagsJobFacet(tags=fields, producer=tags["_producer"])}


_LIBRARY = "openlineage"
_CONSOLE = "openlineage.client.transport.console"
_COMPOSITE = "openlineage.client.transport.composite"


class FailedTransport(NamedTuple):
    """A transport of a composite that did not deliver an event, and the error."""

    transport: object
    error: Exception


class ClientLog(logging.Handler):
    """Handles the library's log: *show* gets the events of its console transport, *say* its warnings without repeats.

    *errors* counts records of level ERROR, *last* is the latest warning or error; *missed* are the transports of a
    composite that failed while others succeeded, until `clear`.
    """

    def __init__(self, say: Callable[[str], object], show: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._say, self._show = say, show
        self.errors = 0
        self.last = ""
        self.missed: list[FailedTransport] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Handle one log record."""
        text = record.getMessage()
        if record.name == _CONSOLE and record.levelno == logging.INFO:
            self._show(text)
        elif record.levelno >= logging.WARNING:
            self.errors += record.levelno >= logging.ERROR
            self._note(record)
            message = clean_text(" ".join(text.split()))
            if message != self.last:
                self._say(message)
            self.last = message

    def clear(self) -> None:
        """Reset the failed transports."""
        self.missed = []

    def attach(self) -> None:
        """Add this handler to the library's logger, as the only one."""
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False
        logging.getLogger(_CONSOLE).setLevel(logging.INFO)

    def detach(self) -> None:
        """Remove this handler."""
        logging.getLogger(_LIBRARY).removeHandler(self)

    def _note(self, record: logging.LogRecord) -> None:
        match record.args:
            case (transport, Exception() as error) if record.name.startswith(_COMPOSITE):
                self.missed.append(FailedTransport(transport, error))
