"""Targets of a push: rows that name their module, and those of other packages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from push_world import Catalog, installation

from scanner_api.push.run import push_settings
from scanner_extractor.config.loader import cluster_schema, read_cluster_file
from scanner_extractor.push_targets import PushTarget, experience, push_target, target_names, target_row
from scanner_model.errors import InputInvalid
from scanner_model.plugins import PUSH_TARGETS, PluginError

MODULE = """
from dataclasses import replace
from scanner_api.push.model import Batch, Call, Explained, Item, Ref, has, no_relations
from scanner_extractor.push_targets import PushTarget

class Notes:
    shared = fixed = forced = frozenset()
    receipt = ""
    relations = staticmethod(no_relations)

    def __init__(self, settings):
        self.folder = settings.options["folder"]

    def stages(self, contents, reader):
        print("planning")
        yield (Item(Ref("note", job.name), {"text": job.type}) for job in contents.jobs())

    def states(self, refs, reader):
        yield from reader.read([Call(method="GET", path=(self.folder, ref.key), check=has("text")) for ref in refs])

    def batches(self, changes, run):
        for change in changes:
            yield Batch((Call(method="PUT", path=(self.folder, change.ref.key), body=change.wanted),), (change,))

    def explain(self, namespace, name):
        return Explained(name, None)

FOLDER = {"type": "string", "description": "Where the notes are."}
NOTES = PushTarget(
    build=Notes,
    schema={"folder": FOLDER},
    needs=("url", "folder"),
    parse=lambda settings, item: replace(settings, options={"folder": item["folder"]}),
)

def broken(settings):
    raise RuntimeError("refused: password=Zq9planted1")

BROKEN = PushTarget(build=broken)
"""


class NotesServer:
    """Keeps notes by their path."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}

    def answer(self, method: str, url: str, body: str) -> tuple[int, Any]:
        if method == "PUT":
            self.notes[url] = json.loads(body)
            return 200, None
        return (200, self.notes[url]) if url in self.notes else (404, {"message": "no such note"})


@pytest.fixture
def config(tmp_path: Path, install_package: Any) -> Path:
    """Return a cluster.json for the target of another package."""
    entries: Mapping[str, Mapping[str, str]] = {
        PUSH_TARGETS: {"notes": "notes_kit:NOTES", "broken": "notes_kit:BROKEN", "gone": "notes_kit:GONE"}
    }
    install_package("notes-kit", entries, {"notes_kit": MODULE})
    return tmp_path / "push.json"


def write(config: Path, **item: str) -> str:
    config.write_text(json.dumps({"cluster": "retail", "brokers": ["b:9092"], "push": [{"url": "http://n:1", **item}]}))
    return str(config)


@pytest.mark.parametrize("name", target_names())
def test_row_names_a_target_and_what_it_was_tried_with(name: str) -> None:
    row = target_row(name)

    assert isinstance(push_target(name), PushTarget)
    assert row
    assert row.proof.system in experience(name)


def test_no_target_is_imported_for_a_file_without_one(tmp_path: Path) -> None:
    """A scan reads cluster.json, and needs no catalog."""
    (tmp_path / "c.json").write_text('{"cluster": "c", "brokers": ["b:9092"]}')
    read = "import sys, pathlib; from scanner_extractor.config.loader import read_cluster_file as r"
    code = f"{read}; r(pathlib.Path(sys.argv[1]), {{}}, ()); print([m for m in sys.modules if 'push.targets' in m])"

    done = subprocess.run([sys.executable, "-c", code, tmp_path / "c.json"], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_target_of_another_package_is_configured_pushed_and_noted(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = push_settings([write(config, target="notes", folder="lineage")], "notes")
    catalog = Catalog(NotesServer(), settings, installation(tmp_path), lambda request: request.method == "PUT")

    first, second = catalog.push(), catalog.push()

    assert first.counts["create"] == len(catalog.server.notes) == 2
    assert (second.written, second.note) == (0, "")
    assert "notes-kit" in first.note
    assert capsys.readouterr().out == ""


def test_members_of_a_target_are_validated_by_its_schema(config: Path) -> None:
    with pytest.raises(InputInvalid, match="needs 'folder'"):
        read_cluster_file(Path(write(config, target="notes")), {}, ())
    with pytest.raises(InputInvalid, match="folder"):
        read_cluster_file(Path(write(config, target="datahub", folder="x")), {}, ())

    assert "folder" in cluster_schema()["$defs"]["push"]["properties"]
    assert target_names()[-1] == "notes"


def test_target_that_fails_is_an_error_without_secrets(config: Path, tmp_path: Path) -> None:
    settings = push_settings([write(config, target="broken")], "broken")
    catalog = Catalog(NotesServer(), settings, installation(tmp_path), lambda _: True)

    with pytest.raises(PluginError, match="RuntimeError") as raised:
        catalog.push()
    assert "Zq9planted1" not in str(raised.value)
    with pytest.raises(InputInvalid, match="cannot be loaded"):
        read_cluster_file(Path(write(config, target="gone")), {}, ())
