"""The fakes that the tests of this folder read."""

from __future__ import annotations

from registry_reading import cloudera as cloudera
from registry_reading import read_through as read_through
