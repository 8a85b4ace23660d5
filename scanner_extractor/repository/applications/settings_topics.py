"""Topics that settings name: those of frameworks, and settings of a program called like its input or output.

Spring Cloud Stream, SmallRye Reactive Messaging and Spring Kafka name topics in settings. Programs with settings of
their own call them `input.topic` or `orders.producer.topic`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from scanner_extractor.repository.applications.settings import Setting, Settings, relaxed
from scanner_extractor.repository.applications.wrappers import is_topic_name, name_words
from scanner_extractor.repository.syntax_trees import words


class NamedUse(NamedTuple):
    """A topic that settings name: read, or written where *writes*; *group*: records pass from reads to writes of it."""

    topic: str
    writes: bool
    place: str
    group: str = ""


_STREAM = "spring.cloud.stream."
_BINDINGS = _STREAM + "bindings."
_MESSAGING = "mp.messaging."
DEFINITION = "spring.cloud.function.definition"
_DEFINITIONS = (DEFINITION, _STREAM + "function.definition")
_FURTHER_BINDINGS = (_STREAM + "source", _STREAM + "input-bindings", _STREAM + "output-bindings")
"""Settings that list bindings to create in addition to those of functions."""
_FUNCTIONAL = re.compile(r"(?<![\w|])(?P<function>[\w|]+)-(?P<side>in|out)-\d+$")


def binding_topic(name: str, settings: Settings) -> str:
    """Return the destination of a binding of Spring Cloud Stream; the name itself without one."""
    setting = settings.find(f"{_BINDINGS}{name}.destination")
    return setting.value if setting is not None else name


def channel_topic(name: str, side: str, settings: Settings) -> str | None:
    """Return the topic of a channel of SmallRye; None where the channel has another connector, or is in memory."""
    prefix = f"{_MESSAGING}{side}.{name}."
    connector = settings.find(prefix + "connector")
    if connector is not None and "kafka" not in connector.value:
        return None
    for key in ("topics", "topic"):
        setting = settings.find(prefix + key)
        if setting is not None:
            return setting.value
    return name if connector is not None else None


def named_uses(
    settings: Settings,
    inputs: Mapping[str, bool],
    in_code: Callable[[str], bool],
    has_channel: Callable[[str], bool] = lambda _: True,
) -> Iterator[NamedUse]:
    """Yield what the settings of a module name; *inputs* are bindings that annotations read (True) or write.

    *in_code* returns whether the source code contains a word, *has_channel* whether code of the module may use a
    channel of SmallRye: one that nothing consumes or feeds is not connected.
    """
    yield from _bindings(settings, inputs, in_code)
    yield from _channels(settings, has_channel)
    default = settings.find("spring.kafka.template.default-topic")
    if default is not None:
        yield NamedUse(default.value, True, default.place)


def lacks_function(binding: str, settings: Settings, in_code: Callable[[str], bool]) -> bool:
    """Return whether no function has a functional binding, such as `audit-out-0`: Spring creates no such binding.

    `spring.cloud.function.definition` lists the functions. Without it, Spring looks for beans: then a function is
    missing if no code contains its name, and code contains that of another binding. StreamBridge sends to bindings
    without a function. *in_code* returns whether the source code contains a word.
    """
    functional = _functional(binding, settings)
    if functional is None:
        return False
    function, is_output = functional["function"], functional["side"] == "out"
    listed = _listed_functions(settings)
    if listed is None and any(settings.find(key) for key in _DEFINITIONS):
        return False
    if listed is None:
        names = {rest.partition(".")[0] for rest, _ in settings.below(_BINDINGS)}
        others = {match["function"] for name in names if (match := _functional(name, settings))}
        is_missing = not _is_bean(function, in_code) and any(_is_bean(other, in_code) for other in others)
        return is_missing and not in_code("StreamBridge")
    if function in ("functionRouter", *(re.sub(r"[|,\s]", "", name) for name in listed)):
        return False
    parts = (part.strip() for name in listed for part in re.split(r"[|,]", name))
    has_code = any(_is_bean(part, in_code) for part in parts if part)
    return not is_output or (has_code and not in_code("StreamBridge"))


def _functional(binding: str, settings: Settings) -> re.Match[str] | None:
    aliases = {setting.value: rest for rest, setting in settings.below(_STREAM + "function.bindings.")}
    return _FUNCTIONAL.search(aliases.get(binding, binding).strip('"'))


def _is_bean(function: str, in_code: Callable[[str], bool]) -> bool:
    """Return whether code contains the name of a function, or of the class that is its bean."""
    return in_code(function) or in_code(function[:1].upper() + function[1:])


def _listed_functions(settings: Settings) -> tuple[str, ...] | None:
    """Return the functions that the settings of any profile activate; None if they do not decide it.

    A definition that only a profile has leaves the other profiles to beans.
    """
    definitions, more = (
        [setting for key in keys for setting in settings.known.get(relaxed(key), ())]
        for keys in (_DEFINITIONS, _FURTHER_BINDINGS)
    )
    if all(one.profile for one in definitions) or any("$" in one.value for one in (*definitions, *more)):
        return None
    return tuple(name for one in (*definitions, *more) for name in one.value.split(";"))


def _bindings(settings: Settings, inputs: Mapping[str, bool], in_code: Callable[[str], bool]) -> Iterator[NamedUse]:
    default = settings.find(_STREAM + "default-binder") or settings.find(_STREAM + "defaultBinder")
    for rest, setting in settings.below(_BINDINGS):
        name, dot, member = rest.rpartition(".")
        if member.lower() != "destination" or not dot:
            continue
        binder = settings.find(f"{_BINDINGS}{name}.binder") or default
        if binder is not None and re.search(r"(?i)rabbit|kinesis|pubsub|pulsar|solace|jms", binder.value):
            continue
        if lacks_function(name, settings, in_code):
            continue
        functional = _functional(name, settings)
        side = functional["side"] if functional else _side(name, settings, inputs)
        group = functional["function"] if functional else ""
        if side:
            for topic in setting.value.split(","):
                yield NamedUse(topic.strip(), side == "out", setting.place, group)


def _side(name: str, settings: Settings, inputs: Mapping[str, bool]) -> str:
    """Return whether a named binding is read or written; empty if unknown."""
    if name in inputs:
        return "in" if inputs[name] else "out"
    if any(True for _ in settings.below(f"{_BINDINGS}{name}.consumer".lower())) or settings.find(
        f"{_BINDINGS}{name}.group"
    ):
        return "in"
    if any(True for _ in settings.below(f"{_BINDINGS}{name}.producer".lower())):
        return "out"
    for kafka in ("kafka", "kafka.streams"):
        for side, part in (("in", "consumer"), ("out", "producer")):
            if any(True for _ in settings.below(f"{_STREAM}{kafka}.bindings.{name}.{part}".lower())):
                return side
    lowered = name.lower()
    return "in" if lowered.startswith("input") or lowered.endswith("-in") else "out" if "out" in lowered else ""


def _channels(settings: Settings, has_channel: Callable[[str], bool]) -> Iterator[NamedUse]:
    for side in ("incoming", "outgoing"):
        seen: set[str] = set()
        for rest, setting in settings.below(f"{_MESSAGING}{side}."):
            name = rest[1:].partition('"')[0] if rest.startswith('"') else rest.partition(".")[0]
            if name in seen:
                continue
            seen.add(name)
            if not has_channel(name):
                continue
            topic = channel_topic(name, side, settings)
            named = settings.find(f"{_MESSAGING}{side}.{name}.topic") or setting
            for part in (topic or "").split(","):
                if part.strip():
                    yield NamedUse(part.strip(), side == "outgoing", named.place)


# --- settings of a program's own

_INPUTS = words(
    "input inputs source sources consumer consumers consume consumed subscriber subscription listener inbound incoming"
)
_OUTPUTS = words(
    "output outputs sink sinks producer producers produce produced publisher publish outbound outgoing target"
)
_FRAMEWORKS = (_STREAM, _MESSAGING, "spring.kafka.")
_APPLICATION_ID = re.compile(r"(?i)\A(?>.*?streams?\b).*\bapplication[._-]?id$")
_SERVICE_NAME = re.compile(r"(?i)(?:service|application|app)[._-]?name")


def names_application(key: str) -> bool:
    """Return whether a setting is the id of a Kafka Streams application, in the settings of any framework."""
    return _APPLICATION_ID.search(key) is not None


class Declared(NamedTuple):
    """The topics that a settings file of a program names: read, or written; *job* is the program, empty if unknown.

    *streams*: the program is one of Kafka Streams, whose outputs are made of its inputs.
    """

    reads: tuple[Setting, ...]
    writes: tuple[Setting, ...]
    job: str
    streams: bool


def mentions_topics(text: str) -> bool:
    """Return whether a settings file may name topics of Kafka."""
    lowered = text.lower()
    return "topic" in lowered and ("kafka" in lowered or "bootstrap.servers" in lowered)


def declared_topics(settings: Iterable[Setting]) -> Declared | None:
    """Return the topics that one settings file names as input or output; None if it names none.

    The settings of a connector name topics as well, and are read elsewhere.
    """
    listed = [setting for setting in settings if not setting.profile]
    if any(setting.key == "connector.class" for setting in listed):
        return None
    topics = [(setting, _direction(setting.key)) for setting in listed if setting.value not in ("true", "false", "")]
    reads = tuple(setting for setting, direction in topics if direction == "in")
    writes = tuple(setting for setting, direction in topics if direction == "out")
    ids = [setting.value for setting in listed if _APPLICATION_ID.search(setting.key)]
    names = [setting.value for setting in listed if _SERVICE_NAME.fullmatch(setting.key)]
    job = next((name for name in (ids + names if writes else names + ids) if "$" not in name), "")
    return Declared(reads, writes, job, bool(ids)) if reads or writes else None


def _direction(key: str) -> str:
    """Return whether the topic of a setting is read (`in`) or written (`out`); empty if its key does not tell."""
    if not is_topic_name(key) or key.lower().startswith(_FRAMEWORKS):
        return ""
    parts = set(name_words(key))
    reads, writes = bool(parts & _INPUTS), bool(parts & _OUTPUTS)
    return "" if reads == writes else "in" if reads else "out"
