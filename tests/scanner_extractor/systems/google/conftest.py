"""The fakes that the tests of this folder read."""

from __future__ import annotations

from catalog_reading import google as google
from catalog_reading import read as read
