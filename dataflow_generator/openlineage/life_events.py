"""What is said of a run, as an event; its facets."""

from __future__ import annotations

from dataclasses import dataclass

from dataflow_generator.openlineage.facets import Facets, error_message, processing_engine
from dataflow_generator.openlineage.lifecycle import Said, moment
from dataflow_generator.openlineage.run_events import Event, ToldRun, our_version, run_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What runs the jobs of a server: its *name*, and the *language* of its errors."""

    name: str
    language: str = "JAVA"


def life_event(said: Said, engine: Engine, producer: str) -> Event:
    """Make the event; what is wrong with a job stands in the facet `errorMessage`, also while the run goes on."""
    run = ToldRun(id=said.run, state=said.state, facets=_facets(said, engine))
    return run_event(run, said.job, moment(said.at), producer)


def _facets(said: Said, engine: Engine) -> Facets:
    facets = {"processing_engine": processing_engine(engine.name, "", our_version())}
    if said.trouble is None:
        return facets
    return facets | {"errorMessage": error_message(said.trouble.message, said.trouble.trace, engine.language)}
