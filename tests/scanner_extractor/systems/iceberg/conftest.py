"""The fakes that the tests of this folder read."""

from __future__ import annotations

from catalog_reading import iceberg as iceberg
from catalog_reading import read as read
