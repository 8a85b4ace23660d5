"""The exported names, each with the module that defines it: `__init__.py` reads this file to import them lazily."""

from dataflow_generator.connectors.config import Config as Config
from dataflow_generator.connectors.model import Connector as Connector
from dataflow_generator.connectors.model import ConnectorFlow as ConnectorFlow
from dataflow_generator.connectors.model import ConnectorFlows as ConnectorFlows
from dataflow_generator.connectors.model import ConnectorReader as ConnectorReader
from dataflow_generator.connectors.model import Dataset as Dataset
from dataflow_generator.connectors.model import DatasetKind as DatasetKind
from dataflow_generator.connectors.model import Direction as Direction
from dataflow_generator.connectors.model import Shape as Shape
from dataflow_generator.connectors.model import SideTopic as SideTopic
from dataflow_generator.connectors.reading import generic as generic
from dataflow_generator.connectors.reading import read_connector as read_connector
from dataflow_generator.connectors.registry import CONNECTORS as CONNECTORS
from dataflow_generator.connectors.registry import MANAGED as MANAGED
from dataflow_generator.connectors.registry import find_reader as find_reader
