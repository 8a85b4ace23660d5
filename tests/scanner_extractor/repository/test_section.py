"""The `topic_files` of a repository in cluster.json."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_model.errors import InputInvalid


@pytest.fixture
def repository(tmp_path):
    def built(*topic_files: dict[str, str]):
        file = tmp_path / "cluster.json"
        repositories = [{"path": ".", "topic_files": topic_files}]
        file.write_text(json.dumps({"cluster": "retail", "repositories": repositories}))
        (settings,) = read_cluster_file(file, {}, ["confluent"]).others["repositories"]
        return settings

    return built


def test_an_expression_and_a_list_of_them_are_members(repository):
    (mapping,) = repository({"files": "*.yaml", "topic": ["@.topic", "@.name"], "owner": "$.team"}).topic_files

    assert (mapping.files, mapping.each, mapping.topic, mapping.owner) == (
        "*.yaml",
        "$",
        ("@.topic", "@.name"),
        ("$.team",),
    )


def test_an_invalid_expression_is_found_with_the_other_mistakes(repository):
    with pytest.raises(InputInvalid) as raised:
        repository({"files": "*.yaml", "topic": "@.name["})

    (problem,) = raised.value.problems
    assert problem.where.endswith("repositories[0].topic_files")
    assert "$.name[" in problem.what
