"""What a page shows while it waits and when a request fails: its scripts, run by Node.js in a small world."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import pytest

pytestmark = pytest.mark.process

WORLD = """
const timers = [], cleared = [], alerts = [];
globalThis.setTimeout = (act, after, words) => timers.push({act, after, words});
globalThis.clearTimeout = (timer) => cleared.push(timer);
globalThis.window = globalThis; globalThis.top = globalThis;
class Place {
  constructor() { this.inside = []; this.textContent = ""; }
  get childElementCount() { return this.inside.length; }
  append(...parts) { this.inside.push(...parts); for (const part of parts) part.holder = this; }
  remove() { if (this.holder) this.holder.inside = this.holder.inside.filter((part) => part !== this); }
  setAttribute() {}
}
const main = new Place();
globalThis.document = {querySelector: () => main, documentElement: {classList: {add() {}}}, head: {append() {}}};
function make(_, __, parts = []) {
  const made = new Place();
  made.append(...[parts].flat().filter((part) => part.inside));
  return made;
}
function showError(error, again) { alerts.push({message: error.message, again}); }
const fire = (after) => timers.filter((timer) => timer.after === after).forEach(({act, words}) => act(words));
const said = () => main.inside.map((part) => part.inside[0].textContent).join();
"""


def run(script: str) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js on this machine; Debian: apt-get install nodejs")
    text = files("scanner_server").joinpath("static/requests.js").read_text("utf-8")
    part = text.partition("// --- a drawing inside")[0]
    program = f"{WORLD}{part}(async () => {{ {script} }})().then((told) => console.log(JSON.stringify(told)));"
    done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_place_that_stays_empty_says_what_it_waits_for() -> None:
    """First that it reads, later that it still does; nothing of it stays behind the answer."""
    told = run(
        "let answer; const done = during(() => new Promise((resolve) => { answer = resolve; }));"
        "const first = said(); fire(200); const soon = said(); fire(5000); const late = said();"
        "answer(); await done; return [first, soon, late, said(), cleared.length];"
    )

    assert told == ["", "Reading …", "Still reading … A large dictionary takes a while.", "", 2]


def test_a_place_with_content_stays_as_it_is() -> None:
    told = run("main.append(new Place()); during(() => new Promise(() => {})); fire(200); return main.inside.length;")

    assert told == 1


def test_a_failure_can_be_tried_again() -> None:
    told = run(
        "let calls = 0; const work = async () => { calls += 1; if (calls === 1) throw new Error('away'); };"
        "await during(work); await alerts[0].again(); return [calls, alerts.map((alert) => alert.message), said()];"
    )

    assert told == [2, ["away"], ""]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("Promise.reject(new TypeError('Failed to fetch'))", "the server does not answer"),
        ("Promise.resolve(new Response('<html>', {status: 503}))", "the server answered with status 503"),
        ('Promise.resolve(new Response(\'{"detail": "busy"}\', {status: 503}))', "busy"),
    ],
)
def test_a_failure_is_a_sentence(reply: str, message: str) -> None:
    """A proxy answers with a page of its own, and a browser in words of its own."""
    caught = "try { await ask('/x'); } catch (error) { return error.message; }"
    told = run(f"globalThis.fetch = () => {reply}; {caught}")

    assert told == message


@pytest.mark.parametrize(
    ("tagged", "suggested", "tile"),
    [
        (0, 17, ["17", "none is tagged: review", "", "columns look personal", "/columns?tag=PII&tags=suggested"]),
        (3, 17, ["3", "17 more look personal: review", "/columns?tag=PII&tags=suggested"]),
        (8, 0, ["8", "tagged, and copies of tagged ones"]),
        (0, 0, ["0", "tagged, and copies of tagged ones"]),
    ],
)
def test_no_tagged_column_is_no_all_clear_beside_suggested_ones(tagged: int, suggested: int, tile: list[str]) -> None:
    """The tile of the home then counts those to review, and leads there."""
    home = files("scanner_server").joinpath("static/home.js").read_text("utf-8")
    counting = home.partition("// Columns with the tag")[2].partition("// What is stale")[0].partition("\n")[2]
    world = "globalThis.location = {protocol: 'https:'}; const MOST_COUNTED = 1000; const grouped = String;"
    row = f"{{tag: 'PII', declared: {tagged}, inherited: 0, suggested: {suggested}}}"
    rows = f"globalThis.ask = async () => ({{items: [{row}]}});"

    assert run(f"{world}{rows}{counting}return personalCount();".replace('ask("/tags', 'globalThis.ask("/tags')) == tile
