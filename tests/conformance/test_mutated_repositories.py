"""Repositories of others with mutations: a broken file costs itself, whatever it holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest
import yaml
from mutating import TIMES, mutated

from scanner_extractor.repository.reader import directory_reading
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import no_progress
from scanner_model.kafka import Connector

FILES = Path(__file__).parent / "data/repository"
"""One short file of nearly every kind that is read."""
LAST = json.dumps({"name": "last", "config": {"connector.class": "a.B", "topics": "orders"}})
AT_ONCE = 5
SEEDS = [range(20), pytest.param(range(20, 20 + 160 * TIMES), marks=pytest.mark.slow)]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    copy = Path(shutil.copytree(FILES, tmp_path / "repository"))
    (copy / "last.json").write_text(LAST, encoding="utf-8")
    return copy


@pytest.mark.no_cover
@pytest.mark.parametrize("seeds", SEEDS, ids=["few", "many"])
def test_mutated_files_cost_themselves(repository: Path, seeds: range) -> None:
    """No reader fails, also none of the fields that programs use, and the file that is whole is read."""
    files = sorted(path.relative_to(FILES) for path in FILES.rglob("*") if path.is_file())
    settings = RepositorySettings(pattern=".", directory=repository)
    for seed in seeds:
        random = Random(seed)
        chosen = random.sample(files, AT_ONCE)
        for name in chosen:
            (repository / name).write_bytes(_mutated(name, random))
        reading = directory_reading(settings, no_progress)
        reading.field_uses()
        for name in chosen:
            shutil.copy(FILES / name, repository / name)

        assert not [problem for problem in reading.problems if "reader failed" in problem.what], (seed, chosen)
        assert "last" in {connector.name for connector in reading.of(Connector)}, (seed, chosen)


def _mutated(name: Path, random: Random) -> bytes:
    """Return a file with one mutation; a YAML document gets that of its JSON."""
    content = (FILES / name).read_bytes()
    if name.suffix not in (".yaml", ".yml"):
        return mutated(content, random)
    body = mutated(json.dumps(yaml.safe_load(content)).encode(), random)
    try:
        return yaml.safe_dump(json.loads(body), sort_keys=False).encode()
    except (ValueError, RecursionError):
        return body
