"""MkDocs hooks of the documentation site: what lies outside of docs/, and notes at commands that no test runs.

Pages link to files of the repository by relative paths, which work there. In the site, the pages of `PROJECT_PAGES` are
below `project/`, a directory of examples is an archive below `downloads/`, a file of `FILES` is below `files/`, and a
link to anything else fails the build.
"""

from __future__ import annotations

import io
import os.path
import posixpath
import re
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PROJECT_PAGES = (
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "examples/retail/README.md",
)
"""Pages outside of docs/ that are part of the site, by their paths in the repository."""

ARCHIVES = ("examples/deploy", "examples/plugins", "examples/retail")
"""Directories that a page may offer as an archive, by their paths in the repository."""

FILES = (
    "charts/scanner/values.yaml",
    "charts/scanner/files/*",
    "examples/ci/check-change/*",
    "examples/deploy/*",
    "examples/notebooks/*",
    "tests/public_surface/*",
)
"""Patterns of other files that pages may link to: they are below `files/`, as they are."""

INDEXES = ("index.md", "README.md")
"""Names of the page that stands for its directory."""

_LINK = re.compile(r"(\]\()([^)\s:#]+)(#[^)\s]*)?(\))")
_NOT_RUN = re.compile(r"^( *)<!-- (?:not run|the commands of this page are not run): (.*) -->$", re.MULTILINE)
_EPOCH = (2020, 1, 1, 0, 0, 0)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace patterns in the navigation by the pages that they match."""
    config.nav = list(_expanded(config.nav or [], Path(config.docs_dir)))
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages of the project, and the examples as archives."""
    for path in PROJECT_PAGES:
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, f"project/{path}", content=text))
    for path in ARCHIVES:
        files.append(File.generated(config, _download(path), content=archive(ROOT / path)))
    for pattern in FILES:
        for file in sorted(ROOT.glob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            files.append(File.generated(config, f"files/{path}", content=file.read_bytes()))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Return *markdown* with links that the site has, and with notes at commands that no test runs."""
    source = page.file.src_uri

    def replace(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups(default="")
        return f"{before}{_site_link(source, target)}{anchor}{after}"

    return _NOT_RUN.sub(r"\1*Not run by a test: \2.*\n\1{ .not-run }\n", _LINK.sub(replace, markdown))


def archive(directory: Path) -> bytes:
    """Return *directory* as a ZIP file that holds it by its name; the same files give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(directory.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                entry = zipfile.ZipInfo(path.relative_to(directory.parent).as_posix(), _EPOCH)
                entry.external_attr = (0o100755 if path.suffix == ".sh" else 0o100644) << 16
                file.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _expanded(entries: list[Any], docs: Path) -> Iterator[Any]:
    """Yield *entries* of a navigation; a pattern becomes the list of its pages, one that matches nothing disappears."""
    for entry in entries:
        if not isinstance(entry, dict):
            yield entry
            continue
        ((title, value),) = entry.items()
        if isinstance(value, list):
            yield {title: list(_expanded(value, docs))}
        elif "*" not in value:
            yield entry
        elif pages := sorted(docs.glob(value), key=lambda path: (path.name not in INDEXES, _title(path).lower())):
            yield {title: [{_title(path): path.relative_to(docs).as_posix()} for path in pages]}


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "")


def _site_link(page: str, target: str) -> str:
    """Return what *target*, a link of *page* within the repository, is within the site."""
    source = page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}"
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if path.startswith("docs/"):
        site_path = _page_of(path.removeprefix("docs/"))
    elif path in PROJECT_PAGES:
        site_path = f"project/{path}"
    elif path in ARCHIVES:
        site_path = _download(path)
    elif any(fnmatch(path, pattern) for pattern in FILES):
        site_path = f"files/{path}"
    else:
        raise PluginError(f"{page}: the link {target} leads to a file that is not in the site; see tools/site_hooks.py")
    return os.path.relpath(site_path, posixpath.dirname(page) or ".")


def _page_of(path: str) -> str:
    """Return the page that *path*, a page or a directory below docs/, leads to."""
    indexes = (f"{path}/{name}" for name in INDEXES)
    return next((index for index in indexes if (ROOT / "docs" / index).exists()), path)


def _download(directory: str) -> str:
    return f"downloads/{directory.removeprefix('examples/')}-example.zip"
