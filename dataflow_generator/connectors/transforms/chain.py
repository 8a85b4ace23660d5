"""A connector's transforms one after the other: where a record of a topic goes, and with which columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.transforms.predicates import applies
from dataflow_generator.connectors.transforms.records import UNKNOWN, Record
from dataflow_generator.connectors.transforms.steps import Place, Places, Step, Transform
from dataflow_generator.connectors.transforms.table import transform_of
from dataflow_generator.connectors.transforms.templates import Template
from scanner_model.errors import InputInvalid
from scanner_model.names import Role
from scanner_model.problems import Problem

_MOST_WAYS = 32


@dataclass(frozen=True, slots=True)
class Way:
    """One way that a record may go: its topic at the end (None: only the data tells) and its columns."""

    topic: Template | None
    record: Record


@dataclass(frozen=True, slots=True)
class Chain:
    """The transforms of one connector, in order; *transforms* None are classes that nobody knows."""

    config: Config
    steps: tuple[tuple[Step, Transform | None], ...]

    @classmethod
    def of(cls, config: Config) -> Chain:
        """Take the transforms of a configuration."""
        listed = (item.strip() for item in config.text("transforms").split(","))
        steps = (_step(config, alias) for alias in dict.fromkeys(listed) if alias)
        return cls(config, tuple((step, transform_of(step.class_name)) for step in steps))

    def problems(self) -> Iterator[Problem]:
        """Tell of every transform that is not known or that Kafka refuses."""
        for step, transform in self.steps:
            where = f"transforms.{step.alias}"
            if not transform:
                told = f"the class {step.class_name}" if step.class_name else "no class"
                hint = "its effect on topics and columns is not known"
                yield Problem(f"{where}.type", f"{told} is no transform that we know", hint)
                continue
            try:
                applies(self.config, step.alias, Template.of(""))
                transform.topics(step, Template.of(""))
                transform.columns(step, Record())
            except InputInvalid as error:
                yield Problem(error.where or where, error.what, error.hint)

    def ways(self, topic: Template, record: Record | None = None) -> tuple[Way, ...]:
        """Follow a record of *topic*; more than one way where only the data tells which predicate holds."""
        ways: tuple[Way, ...] = (Way(topic, record or Record()),)
        for step, transform in self.steps:
            ways = tuple(dict.fromkeys(after for way in ways for after in self._after(step, transform, way)))
            if len(ways) > _MOST_WAYS:
                return (Way(None, UNKNOWN),)
        return ways

    def origins(self, topic: Template, places: Iterable[Place]) -> dict[Place, Places]:
        """List where each column at the end may have stood before all transforms; none where one made it.

        Whoever asks reads the answers forwards again: the first that leads back to its place is right.
        """
        steps = [(step, transform, _made(step, transform)) for step, transform in reversed(self._applied_to(topic))]
        found: dict[Place, Places] = {}
        for place in places:
            before: Places = (place,)
            for step, transform, made in steps:
                listed = (one for after in before if after not in made for one in _before(step, transform, after))
                before = tuple(dict.fromkeys(listed))[:_MOST_WAYS]
            found[place] = before
        return found

    def _applied_to(self, topic: Template) -> list[tuple[Step, Transform]]:
        """List the transforms that records of *topic* may go through."""
        found: list[tuple[Step, Transform]] = []
        for step, transform in self.steps:
            if transform is None or self._passes(step, topic):
                continue
            found.append((step, transform))
            ways = self._after(step, transform, Way(topic, Record()))
            topic = next((way.topic for way in reversed(ways) if way.topic is not None), topic)
        return found

    def _passes(self, step: Step, topic: Template) -> bool:
        try:
            return applies(self.config, step.alias, topic) is False
        except InputInvalid:
            return True

    def names(self, topic: str) -> tuple[Template | None, ...]:
        """Give the names that *topic* has at the end."""
        return tuple(dict.fromkeys(way.topic for way in self.ways(Template.of(topic))))

    def _after(self, step: Step, transform: Transform | None, way: Way) -> tuple[Way, ...]:
        try:
            applied = applies(self.config, step.alias, way.topic)
            if applied is False:
                return (way,)
            after = _applied(step, transform, way)
        except InputInvalid:
            after = (Way(None, UNKNOWN),)
            applied = True
        return after if applied else (way, *after)


def _applied(step: Step, transform: Transform | None, way: Way) -> tuple[Way, ...]:
    if transform is None:
        return (Way(None, UNKNOWN),)
    topics = transform.topics(step, way.topic) if way.topic is not None else _behind_unknown(step, transform)
    record = _signed(step.alias, way.record, transform.columns(step, way.record))
    return tuple(Way(topic, record) for topic in topics)


def _signed(alias: str, before: Record, after: Record) -> Record:
    """Note on each column that a transform moved, changed or made that this transform did."""
    if after is before:
        return after
    stood = {one for role in Role for one in ((role, each) for each in before.side(role) or ())}
    for role in Role:
        columns = after.side(role)
        if columns is not None and columns is not before.side(role):
            signed = (one if (role, one) in stood else replace(one, steps=(*one.steps, alias)) for one in columns)
            after = after.with_side(role, tuple(signed))
    return after


def _behind_unknown(step: Step, transform: Transform) -> tuple[Template | None, ...]:
    """Give the topics of a transform whose input is unknown: only one that asks for no name still tells."""
    first, second = (transform.topics(step, Template.of(name)) for name in ("\ue000", "\ue001"))
    return first if first == second else (None,)


def _made(step: Step, transform: Transform) -> frozenset[Place]:
    """Give the places of columns that a transform adds, whatever the record."""
    try:
        record = transform.columns(step, Record())
    except InputInvalid:
        return frozenset()
    return frozenset((role, one.path) for role in Role for one in record.side(role) or ())


def _before(step: Step, transform: Transform, place: Place) -> Places:
    try:
        return transform.origins(step, place)
    except InputInvalid:
        return ()


def _step(config: Config, alias: str) -> Step:
    settings = config.under(f"transforms.{alias}.")
    class_name = settings.text("type")
    side = Role.KEY if class_name.endswith("$Key") else Role.VALUE
    return Step(alias, class_name, side, settings)
