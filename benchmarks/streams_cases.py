"""Cases of Kafka Streams: described topologies to their outer topics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from case_results import Deviation, FileResult

from dataflow_generator.jobs.streams_topology import read_topology

_FILE = "streams/topologies.json"


def topologies(folder: Path) -> Iterator[FileResult]:
    """Compare sources, sinks, parts and flows: every source of these topologies leads to their one sink."""
    path = folder / _FILE
    if not path.is_file():
        return
    cases = json.loads(path.read_text(encoding="utf-8"))
    deviations = [tuple(_judged(case)) for case in cases]
    yield FileResult(
        file=_FILE,
        right=sum(not deviation for deviation in deviations),
        total=len(cases),
        deviations=tuple(deviation for listed in deviations for deviation in listed),
    )


def _judged(case: Mapping[str, Any]) -> Iterator[Deviation]:
    topology = read_topology(case["topology"])
    sink = case["expected_sink_topic"]
    sources = sorted(case["expected_external_source_topics"])
    checks = {
        "sources": (list(topology.sources), sources),
        "sinks": (list(topology.sinks), [sink] if sink else []),
        "parts": (len(topology.parts), case["sub_topologies"]),
        "flows": (
            [(flow.source, flow.target) for flow in topology.flows],
            [(source, sink) for source in sources if sink],
        ),
        "problems": (list(map(str, topology.problems)), []),
    }
    for what, (ours, expected) in checks.items():
        if ours != expected:
            yield Deviation(case=case["id"], what=f"{what}: {ours}, expected {expected}")
