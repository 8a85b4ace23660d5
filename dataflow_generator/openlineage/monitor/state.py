"""Serialize the state of a monitor as JSON: the open runs of each server, and the events to be delivered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry
from dataflow_generator.openlineage.monitor.state_machine import Run, ServerState
from scanner_model.errors import InputInvalid

Json = Any

_VERSION = 1
_HINT = "move it away; a new run is then started for every running job"


def state_text(states: Mapping[str, ServerState], waiting: Iterable[str]) -> str:
    """Serialize the *states* by server, and the event lines *waiting*, in order."""
    servers = {name: _server_json(states[name]) for name in sorted(states)}
    # Events are stored as text: they are many, and are parsed only to be sent.
    return json.dumps({"version": _VERSION, "servers": servers, "waiting": list(waiting)}, sort_keys=True) + "\n"


def read_state(text: str, where: str) -> tuple[dict[str, ServerState], list[str]]:
    """Parse the output of `state_text`; raises InputInvalid for anything else, or for the state of a newer program."""
    try:
        match json.loads(text):
            case {"version": int(version)} if version > _VERSION:
                raise InputInvalid(
                    "was written by a newer version of this program", where=where, hint="use that version"
                )
            case {"version": int(), "servers": {**servers}, "waiting": [*lines]} if all(
                isinstance(line, str) for line in lines
            ):
                return {str(name): _read_server(server) for name, server in servers.items()}, lines
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputInvalid("is damaged, or not the state of a monitor", where=where, hint=_HINT) from error
    raise InputInvalid("is not the state of a monitor", where=where, hint=_HINT)


def _server_json(state: ServerState) -> Json:
    return {"begun": state.begun, "runs": {name: _run_json(state.runs[name]) for name in sorted(state.runs)}}


def _run_json(run: Run) -> Json:
    return {
        "id": run.id,
        "told": run.emitted.isoformat(),
        "latest": run.latest.isoformat(),
        "job": asdict(run.job),
        "trouble": run.error,
        "missed": run.missed,
        "unsettled": run.unsettled.isoformat() if run.unsettled else None,
    }


def _read_server(server: Json) -> ServerState:
    runs = {str(name): _read_run(run) for name, run in server["runs"].items()}
    return ServerState(begun=int(server["begun"]), runs=runs)


def _read_run(run: Json) -> Run:
    return Run(
        id=str(run["id"]),
        emitted=_moment(run["told"]),
        latest=_moment(run["latest"]),
        job=_read_job(run["job"]),
        error=str(run["trouble"]),
        missed=int(run["missed"]),
        unsettled=_moment(run["unsettled"]) if run["unsettled"] else None,
    )


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def _read_job(job: Json) -> JobEntry:
    inputs, outputs = (tuple(DatasetEntry(**dataset) for dataset in job[side]) for side in ("inputs", "outputs"))
    return JobEntry(**job | {"inputs": inputs, "outputs": outputs})
