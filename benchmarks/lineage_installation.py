"""Made-up OpenLineage events of Spark, Flink and Airflow, alike in size to real ones; the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

Json = Any

JOBS = 500
_SPEC = "https://openlineage.io/spec"
_PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.50.0/integration/spark"


def events(count: int, *, seed: int = 7) -> Iterator[Json]:
    """Return *count* events: a START and a COMPLETE of each run; schemas, column lineage, symlinks, properties."""
    for number in range(count):
        run, end = divmod(number, 2)
        job = run % JOBS
        yield _event(job, UUID(int=(seed << 96) + run, version=4), number, end=bool(end))


def _event(job: int, run: UUID, number: int, *, end: bool) -> Json:
    minute, second = divmod(number, 60)
    hour, minute = divmod(minute, 60)
    day, hour = divmod(hour, 24)
    properties = {"spark.master": "yarn", "spark.app.id": f"app-{run}", "spark.jdbc.password": "hidden-word"}
    return {
        "eventTime": f"2026-01-{1 + day % 28:02}T{hour:02}:{minute:02}:{second:02}.{number % 1000:03}Z",
        "eventType": "COMPLETE" if end else "START",
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": str(run),
            "facets": {
                "processing_engine": _facet("ProcessingEngineRunFacet", "1-1-1", version="3.5.1", name="spark"),
                "spark_properties": _facet("RunFacet", "1-0-0", properties=properties),
            },
        },
        "job": {
            "namespace": "etl",
            "name": f"app_{job % 50}.insert.table_{job}",
            "facets": {
                "jobType": _facet("JobTypeJobFacet", "2-0-4", processingType="BATCH", integration="SPARK"),
                "sql": _facet("SQLJobFacet", "1-1-0", query=f"INSERT INTO table_{job} SELECT * FROM a JOIN b"),
            },
        },
        "inputs": [_dataset(f"topic_{(job * 3 + i) % 300}", topic=True) for i in range(2)],
        "outputs": [_dataset(f"warehouse/table_{job}", topic=False) | _lineage(job, end=end)],
    }


def _dataset(name: str, *, topic: bool) -> Json:
    fields = [{"name": f"field_{i}", "type": "string", "description": ""} for i in range(12)]
    facets = {"schema": _facet("SchemaDatasetFacet", "1-2-0", fields=fields)}
    if not topic:
        identifiers = [{"namespace": "hive://metastore:9083", "name": name.replace("/", "."), "type": "TABLE"}]
        facets["symlinks"] = _facet("SymlinksDatasetFacet", "1-0-1", identifiers=identifiers)
    return {"namespace": "kafka://kafka-1:9092" if topic else "s3://lake", "name": name, "facets": facets}


def _lineage(job: int, *, end: bool) -> Json:
    dataset = _dataset(f"warehouse/table_{job}", topic=False)
    if not end:
        return dataset
    origin = {"namespace": "kafka://kafka-1:9092", "name": f"topic_{job * 3 % 300}"}
    how = [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}]
    fields = {
        f"field_{i}": {"inputFields": [origin | {"field": f"field_{i}", "transformations": how}]} for i in range(12)
    }
    dataset["facets"]["columnLineage"] = _facet("ColumnLineageDatasetFacet", "1-2-0", fields=fields)
    return dataset


def _facet(schema: str, revision: str, /, **members: Json) -> Json:
    url = f"{_SPEC}/facets/{revision}/{schema}.json#/$defs/{schema}"
    return {"_producer": _PRODUCER, "_schemaURL": url} | members


def ndjson(count: int) -> Iterator[str]:
    """Return *count* events as lines."""
    return (json.dumps(event) + "\n" for event in events(count))
