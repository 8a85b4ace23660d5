"""Engines that answer recorded rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from streaming_engines import Tables, engine_session

from scanner_extractor.systems.databases.engines.session import EngineCatalog
from scanner_extractor.systems.databases.products import product_of
from scanner_extractor.systems.databases.reader import DatabaseTables
from scanner_model.catalogs import CatalogTable
from scanner_model.lazy_names import load

URLS = {"risingwave": "risingwave://scanner@rw:4566/dev", "materialize": "materialize://scanner@mz:6875/materialize"}


@pytest.fixture
def catalog() -> Callable[[str, Tables], EngineCatalog]:
    """Return a function that connects to an engine with the tables that it is given."""
    return lambda scheme, tables: EngineCatalog(load(product_of(scheme).engine), engine_session(URLS[scheme], tables))


@pytest.fixture
def by_name() -> Callable[[DatabaseTables], Mapping[str, CatalogTable]]:
    """Return a function that lists tables by their own names."""
    return lambda result: {table.name.rpartition(".")[2]: table for table in result.tables}
