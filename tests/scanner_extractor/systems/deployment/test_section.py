"""The `dbt` of cluster.json: one manifest a project, and the namespace of its warehouse."""

from __future__ import annotations

import json

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import kind_tasks
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import InputInvalid

MANIFEST = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "dbt_version": "1.12.0"},
    "nodes": {"seed.s.a": {"resource_type": "seed", "relation_name": "dw.s.a"}},
    "sources": {},
    "exposures": {},
}


@pytest.fixture
def settings(tmp_path):
    """Read a cluster.json with dbt projects, beside a directory `target` with a manifest."""
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "manifest.json").write_text(json.dumps(MANIFEST))

    def built(*projects: dict[str, str]):
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps({"cluster": "retail", "brokers": ["k:9092"], "dbt": projects}))
        return read_cluster_file(file, {}, ["confluent"])

    return built


@pytest.mark.parametrize("path", ["target", "target/manifest.json", "*/manifest.json"])
def test_manifest_is_found_by_file_directory_and_pattern(settings, path) -> None:
    """A slash at the end of the namespace means nothing."""
    (project,) = settings({"path": path, "namespace": "postgres://dw:5432/"}).others["dbt"]

    assert [file.name for file in project.files.files] == ["manifest.json"]
    assert (project.namespace, str(project.source)) == ("postgres://dw:5432", f"dbt:{path}")


def test_wrong_projects_are_problems(settings) -> None:
    """Each with its place."""
    with pytest.raises(InputInvalid) as caught:
        settings(
            {"path": "nothing", "namespace": "dw"},
            {"path": "target", "namespace": "postgres://u:p@dw", "name": "a"},
            {"path": "target", "namespace": "bigquery", "name": "a"},
        )

    assert [(problem.where.rpartition(" ")[2], problem.what) for problem in caught.value.problems] == [
        ("$.dbt[0].path", '"nothing" is no files'),
        ("$.dbt[1].namespace", '"postgres://dw" is not a namespace'),
        ("$.dbt[2].name", "this source is named twice"),
    ]


def test_check_reports_what_the_manifest_holds(settings) -> None:
    """Or why it cannot be read."""
    chosen = settings({"path": "target", "namespace": "bigquery"})
    (whole,) = probe_sources(chosen, probe=lambda _: "")
    (chosen.others["dbt"][0].files.files[0]).write_text("{}")
    (broken,) = probe_sources(chosen, probe=lambda _: "")

    assert (whole.state, whole.detail) == (State.OK, "dbt 1.12.0, manifest v12: 0 models, 0 sources, 0 exposures")
    assert broken.state is not State.OK


def test_capture_is_replayed_without_the_file(settings, tmp_path) -> None:
    """A support case is read on another machine."""
    chosen = settings({"path": "target", "namespace": "bigquery"})
    (live,) = kind_tasks("catalogs", chosen, Connections(recorder=Recorder(tmp_path / "capture")))
    first = live.run(no_progress)
    chosen.others["dbt"][0].files.files[0].unlink()
    (replayed,) = kind_tasks("catalogs", chosen, Connections(replay=Replay(tmp_path / "capture")))

    assert replayed.run(no_progress) == first
    assert [table.name for table in first.of(CatalogTable)] == ["dw.s.a"]
