"""Steps of streams: what a library gives the functions of a program, and what it makes of their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_VALUE_ONLY: Mapping[int, str] = {1: "value"}
_KEY_VALUE: Mapping[int, str] = {1: "value", 2: "key value"}


@dataclass(frozen=True, slots=True)
class Step:
    """A method of a stream.

    *given* are what its function is given, by the number of parameters: `key`, `value`, `other` (of the stream that it
    is joined with), `result` (what the step made before), `out` (which collects what the function makes), `context`
    (which has outputs beside the stream), or `-`. *makes* is what the function returns: the `value` of the next record,
    its `key`, a `pair` of both, several `values` or `pairs`, or nothing that goes on (empty). *methods* are those that
    the library calls of an object in place of a function, or of the object that a function without parameters makes.
    """

    given: Mapping[int, str] = field(default_factory=dict)
    makes: str = ""
    methods: tuple[str, ...] = ("apply",)


CONNECTED = ("1", "2")
"""What the methods end in that a library calls with the values of one of two connected streams each."""
_JOINED = Step({2: "value other", 3: "key value other"}, "value")
_KEYED = Step(_KEY_VALUE, "key")
_SAME = Step(_KEY_VALUE)

STREAMS: Mapping[str, Mapping[str, Step]] = {
    "org.apache.kafka.streams": {
        "mapValues": Step(_KEY_VALUE, "value"),
        "map": Step(_KEY_VALUE, "pair"),
        "flatMap": Step(_KEY_VALUE, "pairs"),
        "flatMapValues": Step(_KEY_VALUE, "values"),
        "selectKey": _KEYED,
        "groupBy": _KEYED,
        "join": _JOINED,
        "leftJoin": _JOINED,
        "outerJoin": _JOINED,
        "merge": Step(),
        "aggregate": Step({0: "", 3: "key value result"}, "value"),
        "reduce": Step({2: "value value"}, "value"),
        "transform": Step({2: "key value"}, "pair", ("transform",)),
        "transformValues": Step(_KEY_VALUE, "value", ("transform",)),
        "flatTransform": Step({2: "key value"}, "pairs", ("transform",)),
        "flatTransformValues": Step(_KEY_VALUE, "values", ("transform",)),
        "filter": _SAME,
        "filterNot": _SAME,
        "peek": _SAME,
        "foreach": _SAME,
        "branch": _SAME,
        "split": Step(),
        "groupByKey": Step(),
        "windowedBy": Step(),
        "suppress": Step(),
        "toStream": Step(_KEY_VALUE, "key"),
        "toTable": Step(),
        "repartition": Step(),
    },
    "org.apache.flink": {
        "map": Step(_VALUE_ONLY, "value", ("map", "apply")),
        "flatMap": Step({1: "value", 2: "value out"}, "values", ("flatMap", "apply")),
        "process": Step(
            {2: "value out", 3: "value context out", 4: "key context list out"}, "values", ("processElement", "process")
        ),
        "filter": Step(_VALUE_ONLY, "", ("filter", "apply")),
        "keyBy": Step(_VALUE_ONLY, "key", ("getKey", "apply")),
        "assignTimestampsAndWatermarks": Step(),
        "union": Step(),
        "connect": Step(),
        "name": Step(),
        "uid": Step(),
        "setParallelism": Step(),
        "window": Step(),
        "rebalance": Step(),
        "reduce": Step({2: "value value"}, "value", ("reduce", "apply")),
    },
    "quixstreams": {
        "apply": Step(_VALUE_ONLY, "value"),
        "update": Step(_VALUE_ONLY),
        "filter": Step(_VALUE_ONLY),
        "group_by": Step(_VALUE_ONLY, "key"),
    },
}
"""The steps by the package of the library, then by the method."""


def step_of(package: str, name: str) -> Step | None:
    """Return what a method of a class in a package does to a stream; None for other methods and packages."""
    for begin, steps in STREAMS.items():
        if package.startswith(begin):
            return steps.get(name)
    return None


def is_streams(packages: Iterable[str]) -> bool:
    """Return whether packages are those of a library whose objects are streams of values."""
    return any(package.startswith(begin) for package in packages for begin in STREAMS)
