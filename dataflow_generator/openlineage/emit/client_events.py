"""What openlineage-python says in its log and in no other way: events of its console, warnings, and failures."""

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
    inputs = [event_v2.InputDataset(**each) for each in event["inputs"]]
    outputs = [event_v2.OutputDataset(**each) for each in event["outputs"]]
    if "run" not in event:
        return event_v2.JobEvent(**named, job=job, inputs=inputs, outputs=outputs)
    run = event_v2.Run(runId=event["run"]["runId"], facets=dict(event["run"]["facets"]))
    state = event_v2.RunState(event["eventType"])
    return event_v2.RunEvent(**named, eventType=state, run=run, job=job, inputs=inputs, outputs=outputs)


def _facets(facets: Mapping[str, Json]) -> dict[str, Json]:
    """Return a job's facets; its tags as the library's type, because it adds those that its configuration names."""
    if "tags" not in facets:
        return dict(facets)
    from openlineage.client.facet_v2 import tags_job

    told = facets["tags"]
    fields = [tags_job.TagsJobFacetFields(**each) for each in told["tags"]]
    return dict(facets) | {"tags": tags_job.TagsJobFacet(tags=fields, producer=told["_producer"])}


_LIBRARY = "openlineage"
_CONSOLE = "openlineage.client.transport.console"
_COMPOSITE = "openlineage.client.transport.composite"


class MissingModule(NamedTuple):
    """A transport of a composite that did not take an event, and why."""

    transport: object
    error: Exception


class ClientLog(logging.Handler):
    """Hears the library's log: *show* is told the events of its console, *say* its warnings, each once in a row.

    *errors* counts what it calls an error, *last* is its latest warning or error; *missed* which transports of a
    composite failed while others went on, until `clear`.
    """

    def __init__(self, say: Callable[[str], object], show: Callable[[str], object]) -> None:
        super().__init__(logging.INFO)
        self._say, self._show = say, show
        self.errors = 0
        self.last = ""
        self.missed: list[MissingModule] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record of the log."""
        text = record.getMessage()
        if record.name == _CONSOLE and record.levelno == logging.INFO:
            self._show(text)
        elif record.levelno >= logging.WARNING:
            self.errors += record.levelno >= logging.ERROR
            self._note(record)
            said = clean_text(" ".join(text.split()))
            if said != self.last:
                self._say(said)
            self.last = said

    def clear(self) -> None:
        """Forget which transports failed."""
        self.missed = []

    def listen(self) -> None:
        """Begin to hear; nobody else does then."""
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False
        logging.getLogger(_CONSOLE).setLevel(logging.INFO)

    def leave(self) -> None:
        """Hear no more."""
        logging.getLogger(_LIBRARY).removeHandler(self)

    def _note(self, record: logging.LogRecord) -> None:
        match record.args:
            case (transport, Exception() as error) if record.name.startswith(_COMPOSITE):
                self.missed.append(MissingModule(transport, error))
