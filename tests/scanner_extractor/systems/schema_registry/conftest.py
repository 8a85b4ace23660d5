"""The fakes that the tests of this folder read."""

from __future__ import annotations

from registry_reading import apicurio as apicurio
from registry_reading import fake as fake
from registry_reading import read as read
from registry_reading import read_through as read_through
from registry_reading import serving as serving
from registry_reading import stored as stored
