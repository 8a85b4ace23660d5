"""The bundled example whose registry and brokers change: a copy of its recorded answers, scanned again and again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_check.check import check_change
from scanner_check.inputs.files import proposed_schema
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import Target
from scanner_check.model import ChangeReport
from scanner_extractor.evolution import Level

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
_TYPES = {"AVRO": {}, "JSON": {"schemaType": "JSON"}, "PROTOBUF": {"schemaType": "PROTOBUF"}}


class ChangedShop:
    """The example in *directory*, scanned once; `register` and `create` change it, `scan` reads it again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        shutil.copytree(EXAMPLE, directory / "retail")
        (self._registry,) = (directory / "retail/capture").glob("schema_registry-*")
        self._url = "http://127.0.0.1:29081/apis/ccompat/v7/subjects"
        self.dictionary = Dictionary(str(directory / "dictionary.db"))
        self.scan()

    def scan(self) -> None:
        retail = self._directory / "retail"
        scanner_api.scan([retail / "cluster.json"], self.dictionary, replay=retail / "capture")
        scanner_api.generate(self.dictionary)

    def register(self, subject: str, text: str, format: str) -> None:
        """Add a version of *subject*, with the references of the version before."""
        versions = self._answer(f"{subject}/versions?deleted=true") or []
        before = self._answer(f"{subject}/versions/{versions[-1]}") if versions else self._like(subject)
        number = max(versions, default=0) + 1
        body = {**_TYPES[format], "references": before.get("references", []), "schema": text}
        version = {"subject": subject, "version": number, "id": 1000 + number, **body}
        self._record(f"{subject}/versions/{number}", version)
        self._record(f"{subject}/versions?deleted=true", [*versions, number])
        for deleted in ("", "&deleted=true") if not versions else ():
            listed = self._answer(f"?offset=0&limit=1000{deleted}")
            self._record(f"?offset=0&limit=1000{deleted}", sorted([*listed, subject]))
            for start in (0, 1000):
                self._record(f"?offset={start + len(listed) + 1}&limit=1000{deleted}", [])

    def create(self, topic: str, *, like: str) -> None:
        """Add a topic with partitions and settings of another one."""
        (file,) = (self._directory / "retail/capture").glob("kafka-*/document-*.json")
        text = json.loads(file.read_text())
        topics = text["value"]["topics"]
        rows = topics if isinstance(topics, list) else topics.values()
        copied = next(row for row in rows if row["name"] == like)
        topics.append({**copied, "name": topic})
        file.write_text(json.dumps(text))

    def check(self, subject: str, text: str, level: str, format: str) -> ChangeReport:
        """Check a version of *subject* as `scanner check` does, at a level of compatibility."""
        options = CheckOptions(level=Level(level) if level else None, allow_new=True)
        return check_change(self.dictionary, proposed_schema(text, Target(subject=subject), format=format), options)

    def columns(self, topic: str, role: str = "value") -> dict[str, str]:
        """Return the columns of the current schemas of one side of a topic, with their types."""
        listed = scanner_api.topic_schemas(self.dictionary, topic=topic, cluster="retail")
        return {column.name: column.type for schema in listed if schema.role == role for column in schema.columns}

    def _like(self, subject: str) -> dict[str, Any]:
        """Return the newest version of the subject of `orders` with the same ending: a new topic has its references."""
        if not subject.endswith("-value"):
            return {}
        answer: dict[str, Any] = self._answer("orders-value/versions/2")
        return answer

    def _file(self, path: str) -> Path | None:
        url = self._url + (path if path.startswith("?") else f"/{path}")
        files = (
            file for file in self._registry.glob("*.json") if json.loads(file.read_text())["request"]["url"] == url
        )
        return next(files, None)

    def _answer(self, path: str) -> Any:
        file = self._file(path)
        return json.loads(json.loads(file.read_text())["body"]) if file else None

    def _record(self, path: str, body: Any) -> None:
        url = self._url + (path if path.startswith("?") else f"/{path}")
        file = self._file(path) or self._registry / f"added-{len(list(self._registry.iterdir()))}-1.json"
        request = {"method": "GET", "url": url, "body": ""}
        headers = {"content-type": "application/vnd.schemaregistry.v1+json"}
        file.write_text(json.dumps({"request": request, "status": 200, "headers": headers, "body": json.dumps(body)}))
