"""Check that a list of groups is complete.

A broker lists the groups of those partitions of the offsets topic that it has loaded, and no error for the others:
after a restart, or a change of leaders, its list is short or empty. DescribeGroups tells: a coordinator that has loaded
a partition answers DEAD for a name that does not exist there; any other answers with an error, whatever the name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.reader import ClusterAnswer

OFFSETS_TOPIC = "__consumer_offsets"
LOADING = "scan again when all brokers are up and have loaded their groups"
_PREFIX = "scanner.asks-whether-groups-are-loaded-"
_BATCH = 500
_SHOWN = 3
_ABSENT = frozenset({"", "DEAD", "GROUP_ID_NOT_FOUND"})
_REFUSED = "GROUP_AUTHORIZATION_FAILED"


def unloaded(client: KafkaClient, metadata: ClusterAnswer) -> list[str]:
    """Return why a list of groups that is requested now may be incomplete; empty if every coordinator is loaded.

    Coordinators are asked for one invented name per partition of the offsets topic. Without the right to describe any
    group, or to see that topic, nothing can be concluded: the list is trusted. No group is created.
    """
    topic = metadata.topics.get(OFFSETS_TOPIC)
    if topic is None or not topic.partitions:
        return []
    leaderless = {number for number, partition in topic.partitions.items() if partition.leader < 0}
    names = invented_names(len(topic.partitions))
    states = client.group_states([name for number, name in enumerate(names) if number not in leaderless])
    loading = [state for state in states.values() if state not in _ABSENT | {_REFUSED}]
    not_loaded = f"are not loaded: {', '.join(sorted(set(loading)))}"
    return [*_counted(len(leaderless), names, "have no leader"), *_counted(len(loading), names, not_loaded)]


def unconfirmed(client: KafkaClient, groups: Collection[str]) -> Iterator[str]:
    """Yield why *groups*, which are known and not listed, may exist all the same; one reason is enough."""
    names = sorted(groups)
    for start in range(0, len(names), _BATCH):
        states = client.group_states(names[start : start + _BATCH])
        if doubtful := [name for name, state in states.items() if state not in _ABSENT]:
            yield _doubt(doubtful, states)
            return


def invented_names(partitions: int) -> Sequence[str]:
    """Return one name for each partition of an offsets topic with *partitions*, whose group would be stored there."""
    names: dict[int, str] = {}
    number = 0
    while len(names) < partitions:
        name = f"{_PREFIX}{number}"
        names.setdefault(partition_of(name, partitions), name)
        number += 1
    return [names[partition] for partition in range(partitions)]


def partition_of(group: str, partitions: int) -> int:
    """Return the partition of the offsets topic that stores *group*: Java's hash of the name, as brokers compute it."""
    value = 0
    units = group.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFF_FFFF
    return (value & 0x7FFF_FFFF) % partitions


def _counted(amount: int, names: Sequence[str], what: str) -> Iterator[str]:
    if amount:
        yield f"{amount} of {len(names)} partitions of {OFFSETS_TOPIC} {what}"


def _doubt(names: Sequence[str], states: Mapping[str, str]) -> str:
    shown = ", ".join(f"{name}: {states[name]}" for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"{len(names)} known groups are missing from the list, but not deleted ({shown})"
