"""What a monitor remembers, as JSON: the open runs of each server, and the events that wait to be delivered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry
from dataflow_generator.openlineage.monitor.state_machine import Run, Watch
from scanner_model.errors import InputInvalid

Json = Any

_VERSION = 1
_HINT = "move it away; every run that is open begins anew then"


def state_text(watches: Mapping[str, Watch], waiting: Iterable[str]) -> str:
    """Write the *watches* by server, and the lines of the events *waiting*, in their order."""
    servers = {name: _watch(watches[name]) for name in sorted(watches)}
    # Lines of events stand in it as texts: they are many, and are read again only to be sent.
    return json.dumps({"version": _VERSION, "servers": servers, "waiting": list(waiting)}, sort_keys=True) + "\n"


def read_state(text: str, where: str) -> tuple[dict[str, Watch], list[str]]:
    """Read what `state_text` wrote; raises InputInvalid for anything else, or for the state of a newer program."""
    try:
        match json.loads(text):
            case {"version": int(version)} if version > _VERSION:
                raise InputInvalid("is of a newer version of this program", where=where, hint="use that one")
            case {"version": int(), "servers": {**servers}, "waiting": [*lines]} if all(
                isinstance(line, str) for line in lines
            ):
                return {str(name): _read_watch(told) for name, told in servers.items()}, lines
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputInvalid("is damaged, or no state of a monitor", where=where, hint=_HINT) from error
    raise InputInvalid("is no state of a monitor", where=where, hint=_HINT)


def _watch(watch: Watch) -> Json:
    return {"begun": watch.begun, "runs": {name: _run(watch.runs[name]) for name in sorted(watch.runs)}}


def _run(run: Run) -> Json:
    times = {"told": run.told.isoformat(), "latest": run.latest.isoformat()}
    return asdict(run) | times | {"unsettled": run.unsettled.isoformat() if run.unsettled else None}


def _read_watch(told: Json) -> Watch:
    return Watch(begun=int(told["begun"]), runs={str(name): _read_run(run) for name, run in told["runs"].items()})


def _read_run(told: Json) -> Run:
    return Run(
        id=str(told["id"]),
        told=_moment(told["told"]),
        latest=_moment(told["latest"]),
        job=_read_job(told["job"]),
        trouble=str(told["trouble"]),
        missed=int(told["missed"]),
        unsettled=_moment(told["unsettled"]) if told["unsettled"] else None,
    )


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def _read_job(told: Json) -> JobEntry:
    inputs, outputs = (tuple(DatasetEntry(**each) for each in told[side]) for side in ("inputs", "outputs"))
    return JobEntry(**told | {"inputs": inputs, "outputs": outputs})
