"""Single message transforms, evaluated from configuration: what they make of topics and of columns."""

from dataflow_generator.connectors.transforms.chain import Chain, Way
from dataflow_generator.connectors.transforms.records import Carried, Record
from dataflow_generator.connectors.transforms.steps import ColumnEffect, Step, TopicEffect, Transform
from dataflow_generator.connectors.transforms.table import TRANSFORMS, transform_of
from dataflow_generator.connectors.transforms.templates import Template

__all__ = [
    "TRANSFORMS",
    "Carried",
    "Chain",
    "ColumnEffect",
    "Record",
    "Step",
    "Template",
    "TopicEffect",
    "Transform",
    "Way",
    "transform_of",
]
