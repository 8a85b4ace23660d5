"""Predicates: which records a transform is applied to, as far as the configuration tells (KIP-585)."""

from __future__ import annotations

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.transforms.templates import Template
from scanner_model.errors import InputInvalid

_KAFKA = "org.apache.kafka.connect.transforms.predicates."


def applies(config: Config, alias: str, topic: Template | None) -> bool | None:
    """Say whether the transform *alias* is applied to records of *topic*; None: only the data tells.

    Raises InputInvalid for a predicate that Kafka refuses.
    """
    settings = config.under(f"transforms.{alias}.")
    name = settings.text("predicate")
    if not name:
        return True
    holds = _holds(config.under(f"predicates.{name}."), f"predicates.{name}", topic)
    return None if holds is None else holds != settings.is_on("negate")


def _holds(settings: Config, where: str, topic: Template | None) -> bool | None:
    match settings.text("type").removeprefix(_KAFKA):
        case "TopicNameMatches":
            pattern = settings.text("pattern")
            if not pattern:
                raise InputInvalid("a TopicNameMatches without pattern: Kafka refuses the connector", where=where)
            return _matches(pattern, topic)
        case "RecordIsTombstone":
            return False  # a tombstone carries no columns, and a row is never one
        case "":
            raise InputInvalid("the predicate is not configured: Kafka refuses the connector", where=where)
        case _:
            return None


def _matches(pattern: str, topic: Template | None) -> bool | None:
    if topic is None:
        return None
    if topic.name is not None:
        return java_regex(pattern).matches(topic.name)
    samples = min(len(wild.samples) for wild in topic.wilds)
    answers = {java_regex(pattern).matches(topic.filled(number)) for number in range(samples)}
    return answers.pop() if len(answers) == 1 else None
