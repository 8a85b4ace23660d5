"""Hostile inputs of six kinds through their readers: `python benchmarks/fuzz.py [COUNT] [--kind KIND] [--seed N]`.

COUNT inputs in all (60,000), the same ones for the same seed: schemas, SQL, settings of connectors, rows of a registry,
OpenLineage events, and raw HTTP requests to `scanner openlineage listen`. For each kind it prints how many, how many
were read whole, the slowest, the peak of memory and every exception with its input. Exit status 1: an exception that
is not one of ours, an input that took more than LONGEST seconds, or more than LARGEST MB of memory.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_inputs import connectors, events, registry_answers, requests, schemas
from fuzz_listener import Listening
from sql_fuzz import mutations

from dataflow_generator.connectors import Config, Connector, Direction, read_connector
from dataflow_generator.openlineage.events import InvalidEvent, read_event
from dataflow_generator.sql.reader import read_sql
from scanner_extractor.formats import read_columns
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings, RegistrySettings
from scanner_extractor.systems.schema_registry.confluent import read_confluent
from scanner_model.errors import ScannerError

LONGEST = 5.0
"""Seconds that one input may take."""
LARGEST = 1000
"""MB of memory that a process may take."""
_HANGS = 30
_SHOWN = 5
_WEB = HttpSettings(url="http://registry", concurrency=1)

Read = Callable[[Any], bool]
"""Read one input and return whether it had no problem."""


@dataclass(slots=True)
class Tally:
    """How the inputs of one kind went."""

    inputs: int = 0
    complete: int = 0
    slowest: float = 0.0
    slow: Any = None
    faults: Counter[str] = field(default_factory=Counter)


def read_schema(schema: tuple[str, str]) -> bool:
    """Read a schema to its columns."""
    return not read_columns(schema[0], schema[1], lambda _: None).problems


def read_script(statement: tuple[Any, str]) -> bool:
    """Read statements to their flows."""
    return not any(statement_flows.problems for statement_flows in read_sql(statement[1], statement[0]))


def read_settings(values: Mapping[str, str]) -> bool:
    """Read a connector's settings to its flows."""
    connector = Connector(name="c", config=Config.of(values), direction=Direction.SINK, active=("orders", "a.b"))
    return not read_connector(connector).problems


def read_rows(answers: Mapping[str, bytes]) -> bool:
    """Read a registry that answers so, by the path of a request."""

    def respond(request: Request) -> Response:
        path = request.url.removeprefix(_WEB.url).partition("?")[0]
        return Response(status=200 if path in answers else 404, body=answers.get(path, b"{}"))

    settings = RegistrySettings(type="confluent", http=_WEB)
    with Http(_WEB, settings.source, exchange=respond) as http:
        return not read_confluent(settings, http, no_progress).problems


def read_text(text: str | bytes) -> bool:
    """Read an OpenLineage event."""
    return not isinstance(read_event(text), InvalidEvent)


def run(inputs: Iterator[Any], read: Read) -> Tally:
    """Read every input, and note how it went."""
    tally = Tally()
    for value in inputs:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, _HANGS)
        try:
            tally.complete += read(value)
        except ScannerError:
            pass
        except (Exception, Hung) as error:  # noqa: BLE001 - what it is for: no input may raise anything else
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            tally.faults[what] += 1
            if tally.faults[what] == 1:
                print(f"  {what}: {error!s:.200}\n    {value!r:.2000}")
        signal.setitimer(signal.ITIMER_REAL, 0)
        tally.inputs += 1
        took = time.process_time() - started
        if took > tally.slowest:
            tally.slowest, tally.slow = took, value
    return tally


class Hung(BaseException):
    """Raised when an input was read for _HANGS seconds; nothing that catches exceptions holds it up."""


def _hung(*_: object) -> None:
    raise Hung


KINDS: Mapping[str, tuple[Callable[[int, int], Iterator[Any]], Read]] = {
    "schemas": (schemas, read_schema),
    "sql": (lambda count, seed: mutations(count, Path(), seed), read_script),
    "connectors": (connectors, read_settings),
    "registry": (registry_answers, read_rows),
    "events": (events, read_text),
}


def main() -> int:
    """Read the inputs of each kind and say how it went."""
    options = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    options.add_argument("count", nargs="?", type=int, default=60_000)
    options.add_argument("--kind", action="append", choices=[*KINDS, "http"])
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    signal.signal(signal.SIGALRM, _hung)
    kinds = chosen.kind or [*KINDS, "http"]
    per_kind = chosen.count // len(kinds)
    return max(_kind(kind, per_kind, chosen.seed) for kind in kinds)


def _kind(kind: str, count: int, seed: int) -> int:
    started = time.perf_counter()
    if kind == "http":
        with tempfile.TemporaryDirectory() as directory, Listening(Path(directory)) as listening:
            tally = run(requests(count, seed), partial(listening.answers, longest=LONGEST))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    else:
        inputs, read = KINDS[kind]
        tally = run(inputs(count, seed), read)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    faults = sum(tally.faults.values())
    print(
        f"{kind}: {tally.inputs:,} inputs, {tally.complete:,} read whole, {time.perf_counter() - started:.0f} s, "
        f"slowest {tally.slowest * 1000:.0f} ms, peak {peak} MB, {faults} exceptions",
        flush=True,
    )
    if tally.slowest > LONGEST:
        print(f"  too slow: {tally.slow!r:.2000}")
    for what, number in tally.faults.most_common(_SHOWN):
        print(f"  {number} x {what}")
    return int(faults > 0 or tally.slowest > LONGEST or peak > LARGEST)


if __name__ == "__main__":
    sys.exit(main())
