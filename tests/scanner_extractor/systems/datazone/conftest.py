"""The fakes that the tests of this folder read."""

from __future__ import annotations

from catalog_reading import aws as aws
from catalog_reading import read_aws as read_aws
