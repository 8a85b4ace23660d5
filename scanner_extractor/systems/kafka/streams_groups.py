"""Write the topology of a streams group, as StreamsGroupDescribe returns it, in the form of `Topology.describe()`.

Version 1 of the response (KIP-1331) has the nodes, with sinks, where the broker stores them; version 0 has only the
topics that each sub-topology reads, and those of the application itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_AT_RUN_TIME = "chosen at run time"
_SOURCE, _SINK = 1, 3


def source_topics(group: Mapping[str, Any]) -> list[str]:
    """Return the topics that the application reads, without its own."""
    return sorted({topic for part in _parts(group) for topic in part["source_topics"]})


def topology_of(group: Mapping[str, Any]) -> str:
    """Return the topology of a group; empty where the broker has none, as before a first member joined.

    A description whose topics are not those of the sub-topologies is left out: then what is read is all that counts.
    """
    parts, described = _parts(group), group.get("topology_description")
    if described and _is_consistent(described, parts):
        listed = [*described["subtopologies"], *_global(described)]
        blocks = (_described(number, part, parts) for number, part in enumerate(listed))
    else:
        blocks = (_plain(number, part, group["name"]) for number, part in enumerate(parts))
    text = "".join(line for block in blocks for line in block)
    return f"Topologies:\n{text}" if text else ""


def _parts(group: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return (group.get("topology") or {}).get("subtopologies") or ()


def _is_consistent(described: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> bool:
    """Check that the nodes read nothing but what the sub-topologies read, by name: else they are of something else."""
    known = {topic for part in parts for topic in part["source_topics"]}
    known |= {topic["name"] for part in parts for topic in part["repartition_source_topics"]}
    nodes = (node for part in described["subtopologies"] for node in part["nodes"])
    read = {topic for node in nodes for topic in node["source_topics"]}
    return all(any(name == topic or name.endswith(f"-{topic}") for name in known) for topic in read)


def _global(described: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for store in described["global_stores"]:
        yield {"subtopology_id": "", "nodes": [store["source"], store["processor"]]}


def _described(number: int, part: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a sub-topology with its nodes; a source by pattern reads what the broker resolved."""
    resolved = [
        topic for own in parts if own["subtopology_id"] == part["subtopology_id"] for topic in own["source_topics"]
    ]
    yield f"   Sub-topology: {number}\n"
    for node in part["nodes"]:
        name, following = _name(node["name"]), [_name(successor) for successor in node["successors"]]
        if node["node_type"] == _SOURCE:
            yield f"    Source: {name} (topics: [{', '.join(node['source_topics'] or resolved)}])\n"
        elif node["node_type"] == _SINK:
            topic = node["sink_topic"]
            yield f"    Sink: {name} " + (f"(topic: {topic})\n" if topic else f"(extractor class: {_AT_RUN_TIME})\n")
        else:
            yield f"    Processor: {name} (stores: [{', '.join(node['stores'])}])\n"
        yield f"      --> {', '.join(following) or 'none'}\n"


def _plain(number: int, part: Mapping[str, Any], application: str) -> Iterator[str]:
    """Yield the lines of a sub-topology without nodes: all that it reads reaches its stores and repartition topics."""
    topics = [*part["source_topics"], *(topic["name"] for topic in part["repartition_source_topics"])]
    changelogs = (topic["name"] for topic in part["state_changelog_topics"])
    stores = [name.removeprefix(f"{application}-").removesuffix("-changelog") for name in changelogs]
    sinks = [(f"sink-{number}-{at}", topic) for at, topic in enumerate(part["repartition_sink_topics"])]
    yield f"   Sub-topology: {number}\n"
    yield f"    Source: source-{number} (topics: [{', '.join(topics)}])\n      --> processor-{number}\n"
    yield f"    Processor: processor-{number} (stores: [{', '.join(stores)}])\n"
    yield f"      --> {', '.join(name for name, _ in sinks) or 'none'}\n"
    for name, topic in sinks:
        yield f"    Sink: {name} (topic: {topic})\n      --> none\n"


def _name(written: str) -> str:
    """Return the name of a node in one word: what separates names in the text may be in a name."""
    return "_".join(written.replace(",", " ").split()) or "node"
