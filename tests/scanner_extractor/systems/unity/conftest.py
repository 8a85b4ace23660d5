"""The fakes that the tests of this folder read."""

from __future__ import annotations

from catalog_reading import exchange as exchange
from catalog_reading import read as read
from catalog_reading import unity as unity
