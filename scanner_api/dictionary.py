"""The data dictionary as a handle: opened once, then passed to every function of the library."""

from __future__ import annotations

from dataflow_generator.stored.dictionary import DEFAULT_PATIENCE as DEFAULT_PATIENCE
from dataflow_generator.stored.dictionary import CopyProgress as CopyProgress
from dataflow_generator.stored.dictionary import Dictionary as Dictionary
from dataflow_generator.stored.dictionary import Measures as Measures
from dataflow_generator.stored.dictionary import TableCopy as TableCopy
from dataflow_generator.stored.dictionary import copy_dictionary as copy_dictionary
from dataflow_generator.stored.dictionary import known_cluster as known_cluster
from dataflow_generator.stored.dictionary import measures as measures
from dataflow_generator.stored.dictionary import open_dictionary as open_dictionary
