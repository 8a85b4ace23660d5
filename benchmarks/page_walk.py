"""Walks the page of a running server in Chromium: screenshots, what axe-core finds, and how long each step takes.

`python benchmarks/page_walk.py URL FOLDER [NAME]` searches for NAME (a topic; else the first with several users). With
a token in SCANNER_TOKEN it logs in. The exit status is 1 where axe-core or the browser's console reports something.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))
sys.path.insert(0, str(Path(__file__).parent))

from chromium import SIZE, chromium, violations
from measure import conditions

RUNS = 5
_IDLE = "main:not([aria-busy=true])"
_PAINTED = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
)
"""Milliseconds since the navigation began, once what was changed is on the screen."""


@dataclass(slots=True)
class Walk:
    """A page that is driven, with what was noticed: findings of axe-core and messages of the browser's console."""

    page: Any
    url: str
    folder: Path
    findings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Collect errors from now on."""
        self.page.on("pageerror", lambda error: self.findings.append(f"error: {error}"))
        self.page.on("console", lambda message: self.findings.append(f"console: {message.text}"))

    def open(self, path: str) -> float:
        """Load *path*, from an empty page; return the milliseconds until it was painted."""
        self.page.goto("about:blank")
        self.page.goto(self.url + path)
        return self.settle()

    def settle(self) -> float:
        """Wait until the page has what it requested, and has drawn it; return the time since it was opened."""
        self.page.locator(_IDLE).wait_for()
        return float(self.page.evaluate(_PAINTED))

    def step(self, act: Callable[[], object]) -> float:
        """Do something; return the milliseconds until its result was drawn."""
        started = float(self.page.evaluate("performance.now()"))
        act()
        return self.settle() - started

    def show(self, name: str) -> None:
        """Take a screenshot, and check the accessibility in light and dark."""
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme)
            self.page.screenshot(path=self.folder / f"{name}-{theme}.png", full_page=name == "topic")
            self.findings += [f"axe-core, {name}, {theme}: {violation}" for violation in violations(self.page)]
        self.page.emulate_media(color_scheme="light")

    def answer(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return the answer of the API."""
        return self.page.request.get(f"{self.url}/api/v1{path}").json()


def walk(page: Any, url: str, folder: Path, name: str = "") -> tuple[dict[str, float], list[str]]:  # noqa: ANN401
    """Walk through the page; return the milliseconds of each step (of those so called the median), and findings."""
    folder.mkdir(parents=True, exist_ok=True)
    at = Walk(page, url.rstrip("/"), folder)
    topic, node = _topic(at, name)
    milliseconds = {"first view (median)": _median(lambda: at.open("/flow"))}
    at.show("start")
    milliseconds["home (median)"] = _median(lambda: at.open("/"))
    at.show("home")
    milliseconds["view of a node (median)"] = _median(lambda: at.open(f"/flow#node={node}"))
    at.show("graph")
    milliseconds["search until hits are shown (median)"] = _median(lambda: _search(at, topic))
    at.show("search")
    milliseconds["expansion (median)"] = statistics.median(
        filter(None, (_expand(at, node) for _ in range(RUNS))) or [0.0]
    )
    at.show("expanded")
    at.open(f"/flow#node={node}")
    milliseconds["impact"] = at.step(lambda: page.get_by_role("button", name="Impact").click())
    at.show("impact")
    page.get_by_role("link", name="Topic page").click()
    page.locator("h2.subject").wait_for()
    milliseconds["topic page"] = at.settle()
    at.show("topic")
    scans = [graph["scan"] for graph in at.answer("/graphs")["items"]]
    if len(scans) > 1:
        milliseconds["comparison"] = at.open(f"/flow#scan={scans[-1]}&base={scans[-2]}")
        at.show("comparison")
    return milliseconds, at.findings


def _topic(at: Walk, name: str) -> tuple[str, str]:
    """Return the name and the node of a topic: one with jobs at it, where none is named."""
    if name:
        return name, str(at.answer(f"/lineage?node={name}")["root"])
    for row in at.answer("/topics?limit=200")["items"]:
        described = at.answer(f"/clusters/{row['cluster']}/topics/{row['name']}")
        if described["user_count"] > 1:
            return str(row["name"]), str(described["node"])
    raise SystemExit("no topic of the dictionary has two readers or writers: name one")


def _search(at: Walk, text: str) -> float:
    at.open("/flow")
    at.page.keyboard.press("/")
    at.page.keyboard.insert_text(text[:-1])
    started = float(at.page.evaluate("performance.now()"))
    at.page.keyboard.type(text[-1])
    at.page.locator("#hits [data-key]").first.wait_for()
    return float(at.page.evaluate(_PAINTED)) - started


def _expand(at: Walk, node: str) -> float | None:
    """Expand one side of the node, from it alone; None where it has none."""
    load = json.dumps([node, 0, 0])
    at.open(f"/flow#load={load}&node={node}")
    button = at.page.locator(".expand").first
    return at.step(button.click) if button.count() else None


def _median(step: Callable[[], float]) -> float:
    return statistics.median(step() for _ in range(RUNS))


def main() -> None:
    """Walk, print figures and findings, and exit with 1 where something was noticed."""
    url, folder, *rest = sys.argv[1:]
    token = os.environ.get("SCANNER_TOKEN")
    login = {"http_credentials": {"username": "scanner", "password": token}} if token else {}
    with chromium() as browser:
        page = browser.new_context(viewport=SIZE, **login).new_page()
        print(f"{conditions()}; Chromium {browser.version}, headless, {SIZE['width']} × {SIZE['height']}")
        steps, findings = walk(page, url, Path(folder), *rest[:1])
    for name, milliseconds in steps.items():
        print(f"{name}: {milliseconds:.0f} ms")
    print("\n".join(findings) or "axe-core: no violation; no message on the console")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
