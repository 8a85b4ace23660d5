"""Single message transforms (SMTs), evaluated from configuration: their effects on topics and columns."""

from dataflow_generator.connectors.transforms.model import (
    ColumnEffect,
    Record,
    Step,
    TopicEffect,
    TracedColumn,
    Transform,
)
from dataflow_generator.connectors.transforms.registry import TRANSFORMS, Chain, Route, find_transform
from dataflow_generator.connectors.transforms.topic_templates import Template

__all__ = [
    "TRANSFORMS",
    "Chain",
    "ColumnEffect",
    "Record",
    "Route",
    "Step",
    "Template",
    "TopicEffect",
    "TracedColumn",
    "Transform",
    "find_transform",
]
