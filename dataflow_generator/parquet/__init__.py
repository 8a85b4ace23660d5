"""The graph in Parquet files: schema, writer, reader. Importing it raises InputInvalid where pyarrow is missing."""

from __future__ import annotations

from scanner_model.plugins import require

require("pyarrow", "Parquet needs pyarrow", extra="parquet")
