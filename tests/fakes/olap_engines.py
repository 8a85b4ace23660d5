"""Stand-ins for Druid's router and Pinot's controller, by the examples of their documentation.

Neither was asked live: members, old and new forms and empty answers are those of the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

Json = Any

DATA_SCHEMA = {
    "dataSource": "orders",
    "timestampSpec": {"column": "ts", "format": "iso", "missingValue": None},
    "dimensionsSpec": {
        "dimensions": ["city", {"type": "long", "name": "user"}, {"type": "string", "name": "email"}, "domain"],
        "dimensionExclusions": [],
    },
    "metricsSpec": [
        {"type": "count", "name": "rows"},
        {"type": "doubleSum", "name": "revenue", "fieldName": "amount"},
    ],
    "transformSpec": {
        "filter": None,
        "transforms": [
            {"type": "expression", "name": "domain", "expression": "regexp_extract(\"e mail\", '@(.*)', 1)"}
        ],
    },
}
IO_CONFIG = {
    "topic": "orders",
    "topicPattern": None,
    "inputFormat": {
        "type": "json",
        "flattenSpec": {
            "useFieldDiscovery": True,
            "fields": [{"type": "path", "name": "email", "expr": "$.contact.email"}],
        },
    },
    "consumerProperties": {"bootstrap.servers": "k-1:9092", "sasl.jaas.config": 'password="zqSECRETzq";'},
}


def supervisor(name: str, data: Json, stream: Json, *, kind: str = "kafka", old: bool = False) -> Json:
    """Write a supervisor as `?full` lists it; *old* versions have no inner specification."""
    members = {"dataSchema": data, "ioConfig": stream, "tuningConfig": {"type": kind}}
    spec = {"type": kind, **members, "suspended": False} | ({} if old else {"spec": members})
    return {
        "id": name,
        "state": "RUNNING",
        "detailedState": "RUNNING",
        "healthy": True,
        "spec": spec,
        "suspended": False,
    }


@dataclass(slots=True, kw_only=True)
class Druid:
    """A router with its supervisors."""

    supervisors: tuple[Json, ...] = (supervisor("orders", DATA_SCHEMA, IO_CONFIG),)

    def answer(self, method: str, target: str, _: bytes = b"") -> tuple[int, Json]:
        """Answer a request."""
        if method == "GET" and target == "/druid/indexer/v1/supervisor?full=":
            return 200, list(self.supervisors)
        return 404, "<html><body>not found</body></html>"


TABLE = {
    "REALTIME": {
        "tableName": "orders_REALTIME",
        "tableType": "REALTIME",
        "segmentsConfig": {"schemaName": "orders", "timeColumnName": "ts", "replication": "1"},
        "tableIndexConfig": {"loadMode": "MMAP"},
        "ingestionConfig": {
            "streamIngestionConfig": {
                "streamConfigMaps": [
                    {
                        "streamType": "kafka",
                        "stream.kafka.topic.name": "orders",
                        "stream.kafka.broker.list": "k-1:9092",
                        "stream.kafka.decoder.class.name": "org.apache.pinot.plugin.json.JSONMessageDecoder",
                        "sasl.jaas.config": 'password="zqSECRETzq";',
                    }
                ]
            },
            "transformConfigs": [
                {"columnName": "day", "transformFunction": 'toEpochDays("ts")'},
                {"columnName": "email", "transformFunction": "jsonPathString(contact, '$.email', 'none')"},
            ],
            "aggregationConfigs": [{"columnName": "revenue", "aggregationFunction": "SUM(amount)"}],
        },
    }
}
SCHEMA = {
    "schemaName": "orders",
    "dimensionFieldSpecs": [
        {"name": "city", "dataType": "STRING", "notNull": True},
        {"name": "email", "dataType": "STRING"},
        {"name": "tags", "dataType": "STRING", "singleValueField": False},
    ],
    "metricFieldSpecs": [{"name": "revenue", "dataType": "DOUBLE"}],
    "dateTimeFieldSpecs": [{"name": "day", "dataType": "INT", "format": "1:DAYS:EPOCH", "granularity": "1:DAYS"}],
}


@dataclass(slots=True, kw_only=True)
class Pinot:
    """A controller: *tables* with their configuration and schema; *refused* are statuses by table."""

    tables: Mapping[str, tuple[Json, Json]] = field(default_factory=lambda: {"orders": (TABLE, SCHEMA)})
    refused: Mapping[str, int] = field(default_factory=dict)

    def answer(self, method: str, target: str, _: bytes = b"") -> tuple[int, Json]:
        """Answer a request; errors have a code and a text."""
        match [unquote(step) for step in urlsplit(target).path.strip("/").split("/")]:
            case ["tables"] if method == "GET":
                return 200, {"tables": [*self.tables, *self.refused]}
            case ["tables", name, *_] if name in self.refused:
                return self.refused[name], {"code": self.refused[name], "error": "Permission is denied for table"}
            case ["tables", name] if name in self.tables:
                return 200, self.tables[name][0]
            case ["tables", name, "schema"] if name in self.tables:
                return 200, self.tables[name][1]
            case _:
                return 404, {"code": 404, "error": "Table not found"}
