"""The page of a server in Chromium: its first view, and an expansion, on 1,000 topics and 500 jobs.

`python benchmarks/page_rows.py FOLDER` also writes screenshots of graphs of 30, 500 and 10,000 nodes into FOLDER.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))
sys.path.insert(0, str(Path(__file__).parent))

from chromium import SIZE, chromium, program, serving
from large_installation import Size, build
from measure import Row, conditions, run, scanner, table
from page_walk import Walk, walk

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.write.name_index import index_new_names

_SIZE = Size(columns=40_000, topics=1_000, jobs=500)
_SHOWN = {
    30: Size(columns=200, topics=16, jobs=6),
    500: Size(columns=5_000, topics=260, jobs=130),
    10_000: Size(columns=60_000, topics=5_200, jobs=2_600),
}
_REQUIRED = {"first view (median)": 1_000, "expansion (median)": 200}


def page_row(directory: Path) -> list[Row]:
    """How long the first view and an expansion take, from the navigation or the click until it is drawn."""
    detail = f"{_SIZE.topics:,} topics, {_SIZE.jobs} jobs, headless Chromium, median of five"
    if program() is None:
        rows = dict.fromkeys(_REQUIRED, math.nan)
        detail = "no Chromium"
    else:
        with chromium() as browser, serving([scanner()], dictionary(directory, _SIZE)) as url:
            rows, findings = walk(browser.new_context(viewport=SIZE).new_page(), url, directory / "pictures")
        detail += f"; axe-core: {len(findings)} findings"
    return [
        Row(
            name=f"page: {name}",
            ours=rows[name],
            unit="ms",
            target=f"≤ {most}",
            met=math.isnan(rows[name]) or rows[name] <= most,
            detail=detail,
        )
        for name, most in _REQUIRED.items()
    ]


def dictionary(directory: Path, size: Size) -> str:
    """Return the URL of a dictionary of *size* with its graph."""
    url = f"sqlite:///{directory}/page-{size.topics}.db"
    build(url, size)
    engine = open_dictionary(url)
    with writing(engine) as conn:
        index_new_names(conn)
    engine.dispose()
    run([scanner(), "dataflow", "--dictionary", url])
    return url


def _pictures(browser: Any, directory: Path, folder: Path) -> None:  # noqa: ANN401 - Playwright's
    """Write screenshots of graphs of each size: served, exported, and exported with everything open."""
    for nodes, size in _SHOWN.items():
        url = dictionary(directory, size)
        file = directory / f"{nodes}.html"
        run([scanner(), "export", "--dictionary", url, "-o", str(file)])
        page = browser.new_context(viewport=SIZE).new_page()
        with serving([scanner()], url) as address:
            _picture(Walk(page, address, folder), "/flow", f"{nodes}-served")
        for name, view in (("exported", ""), ("open", "#fold=")):
            _picture(Walk(page, f"file://{file}", folder), view, f"{nodes}-{name}")


def _picture(at: Walk, path: str, name: str) -> None:
    milliseconds = at.open(path)
    at.page.screenshot(path=at.folder / f"{name}.png")
    cards = at.page.locator(".card").count()
    print(f"{name}: {cards} cards drawn, {milliseconds:.0f} ms; {at.page.locator('#footer').inner_text()}")
    print("\n".join(at.findings))


def main() -> None:
    """Measure, and write the screenshots."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        print(conditions())
        print(table(page_row(Path(name))))
        with chromium() as browser:
            _pictures(browser, Path(name), folder)


if __name__ == "__main__":
    main()
