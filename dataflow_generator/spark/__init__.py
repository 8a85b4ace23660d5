"""Graph generation on Spark, for large dictionaries. Importing it raises InputInvalid where PySpark is missing."""

from __future__ import annotations

from scanner_model.plugins import require

require("pyspark", "PySpark is not installed", extra="spark", where="--engine spark")
