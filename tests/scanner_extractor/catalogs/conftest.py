"""The fakes that the tests of this folder read."""

from __future__ import annotations

from catalog_reading import aws as aws
from catalog_reading import clickhouse as clickhouse
from catalog_reading import exchange as exchange
from catalog_reading import google as google
from catalog_reading import iceberg as iceberg
from catalog_reading import olap as olap
from catalog_reading import unity as unity
