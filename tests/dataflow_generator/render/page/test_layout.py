"""The layout of the drawing, run by Node.js: data flow from left to right, and no card lies on another."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest

pytestmark = pytest.mark.process

CALL = """
const graphs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = graphs.map(({items, links}) => ({...layout(items, links, 1.5), items, via: null}));
process.stdout.write(JSON.stringify(results));
"""


def laid_out(graphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js on this machine; Debian: apt-get install nodejs")
    text = files("dataflow_generator.render.page").joinpath("layout.js").read_text("utf-8")
    given = json.dumps(graphs)
    done = subprocess.run([node, "-e", text + CALL], input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def graph(random: random.Random, *, cyclic: bool = False) -> dict[str, Any]:
    """Return a graph of up to 40 cards in chains, fans and several parts; without a cycle links lead to later ones."""
    count = random.randint(1, 40)
    items = [{"id": f"c{at}", "w": random.randint(60, 520), "h": random.randint(30, 400)} for at in range(count)]
    pairs = [sorted(random.sample(range(count), 2)) for _ in range(random.randint(0, 2 * count))] if count > 1 else []
    links = [(b, a) if cyclic and random.random() < 0.2 else (a, b) for a, b in pairs]
    return {"items": items, "links": sorted({(f"c{a}", f"c{b}") for a, b in links})}


def overlap(a: dict[str, Any], b: dict[str, Any]) -> bool:
    across = a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
    return across and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]


def test_a_target_is_to_the_right_of_its_source() -> None:
    """However long the flow is, it does not wrap."""
    chain = {"items": [{"id": f"c{at}", "w": 300, "h": 40} for at in range(60)], "links": []}
    chain["links"] = [(f"c{at}", f"c{at + 1}") for at in range(59)]
    graphs = [chain, *(graph(random.Random(seed)) for seed in range(200))]

    for given, result in zip(graphs, laid_out(graphs), strict=True):
        items = {item["id"]: item for item in result["items"]}
        for source, target in given["links"]:
            assert items[source]["x"] + items[source]["w"] <= items[target]["x"], (source, target)


@pytest.mark.parametrize("cyclic", [False, True])
def test_no_card_lies_on_another_or_outside_of_the_drawing(cyclic: bool) -> None:
    """Retry topics close cycles."""
    for result in laid_out([graph(random.Random(seed), cyclic=cyclic) for seed in range(100)]):
        items = result["items"]
        assert not [(a, b) for at, a in enumerate(items) for b in items[:at] if overlap(a, b)]
        assert all(item["x"] + item["w"] <= result["w"] and item["y"] + item["h"] <= result["h"] for item in items)


def test_the_cards_of_a_chain_are_in_one_line() -> None:
    chain = {"items": [{"id": name, "w": 180, "h": 42} for name in "abcdefgh"], "links": list(pairwise("abcdefgh"))}

    (result,) = laid_out([chain])

    assert len({item["y"] for item in result["items"]}) == 1
