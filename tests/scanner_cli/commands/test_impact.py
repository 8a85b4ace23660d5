"""`scanner impact`: as many lines as a screen has, unless all are asked for."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def copied(scanner, tmp_path):
    """Return a function that scans a topic whose columns flow to *copies* topics, and returns its dictionary."""

    def scan(columns: int, copies: int):
        names = [f"c{number}" for number in range(columns)]
        fields = [{"name": name, "type": "string"} for name in names]
        topics = ["orders", *(f"copy{number}" for number in range(copies))]
        flow = [{"from": name, "to": name} for name in names]
        document = {
            "version": 1,
            "cluster": "shop",
            "topics": [{"name": name, "schemas": [{"format": "JSON", "columns": fields}]} for name in topics],
            "flows": [{"from": "orders", "to": name, "job": f"job-{name}", "columns": flow} for name in topics[1:]],
        }
        (tmp_path / "manual.json").write_text(json.dumps(document))
        config = {"cluster": "shop", "brokers": ["kafka-1:9092"], "manual_input": ["manual.json"]}
        (tmp_path / "cluster.json").write_text(json.dumps(config))
        file = tmp_path / "d.db"
        assert scanner("scan", "--quiet", "--config", tmp_path / "cluster.json", "--dictionary", file).status == 0
        return file

    return scan


@pytest.mark.parametrize(("columns", "copies"), [(3, 1), (22, 2), (50, 1), (2, 40)])
def test_an_impact_fits_on_a_screen_and_counts_the_rest(copied, scanner, columns: int, copies: int) -> None:
    """What is not listed is counted by kind: a short answer must not look like a complete one."""
    file = copied(columns, copies)
    short = scanner("impact", "orders", "--dictionary", file).out.splitlines()
    every = scanner("impact", "orders", "--columns", "--dictionary", file).out.splitlines()
    affected = scanner("impact", "orders", "--format", "json", "--dictionary", file).json["affected"]
    counted = [line for line in short if line.startswith("and ")]
    left_out = sum(int(part.split()[0]) for part in counted[0][4:].split(":")[0].split(", ")) if counted else 0

    assert len(short) <= 30
    assert len(short) - len(counted) + left_out == len(every)
    assert len(every) - 2 == sum(map(len, affected.values()))
