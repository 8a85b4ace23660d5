"""Helm charts of a directory: their templates as `helm template` renders them with the values of the chart.

A chart is copied without links and rendered there, without network, plug-ins and the environment, within limits of time
and size. Templates of a chart that cannot be rendered stay as they are.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from scanner_extractor.repository.files import Entry, UnreadText, text_of
from scanner_model.redaction import mask_text

PATIENCE = 20
"""Seconds that the rendering of one chart may take."""
MOST_CHARTS = 100
MOST_FILES = 2_000
"""Maximum files of one chart."""
LARGEST_OUTPUT = 16 * 1024 * 1024
_MEMORY = 4 * 1024 * 1024 * 1024
"""Bytes of address space: Go reserves much more than it uses."""
_CHART = "Chart.yaml"
_SCHEMA = "values.schema.json"
"""Left out of the copy, also of charts inside: Helm would fetch what its references name, from networks and disks."""
_ABOUT = re.compile(r"(?i)kafka|connector|topic|flink|ksql|schema.registry")
"""What a template mentions that is worth rendering."""
_SOURCE = re.compile(r"^# Source: (?P<path>\S+)[ \t]*$", re.MULTILINE)
_DEPENDENCIES = re.compile(r"^dependencies:[^\n]*\n(?:[ \t#-][^\n]*\n|\n)*", re.MULTILINE)
_SEPARATOR = re.compile(r"\n---[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class RenderedCharts:
    """The files of a directory with rendered templates, and why charts are not rendered, by the path of the chart."""

    entries: tuple[Entry, ...]
    failures: Mapping[str, str] = field(default_factory=dict)


def with_rendered_charts(entries: Iterable[Entry], helm: str | None) -> RenderedCharts:
    """Return *entries* with the templates of charts as the program *helm* renders them; None renders nothing."""
    listed = {entry.path: entry for entry in entries}
    if helm is None:
        return RenderedCharts(tuple(listed.values()))
    rendered: dict[str, str] = {}
    failures: dict[str, str] = {}
    for directory in list(_charts(listed))[:MOST_CHARTS]:
        try:
            rendered |= _render(directory, listed, helm)
        except _NotRendered as error:
            failures[_joined(directory, _CHART)] = str(error)
    replaced = (Entry(path, _constant(rendered[path])) if path in rendered else entry for path, entry in listed.items())
    return RenderedCharts(tuple(replaced), failures)


class _NotRendered(Exception):
    """Raised if a chart is not rendered; the text says why."""


def _charts(entries: Mapping[str, Entry]) -> Iterator[str]:
    """Yield the directories of charts whose templates may be about Kafka, without the charts inside others."""
    directories = [path.removesuffix(_CHART).rstrip("/") for path in entries if f"/{path}".endswith(f"/{_CHART}")]
    for directory in directories:
        is_part = any(directory.startswith(f"{_joined(other, 'charts')}/") for other in directories)
        templates = (path for path in entries if path.startswith(f"{_joined(directory, 'templates')}/"))
        if not is_part and any(_ABOUT.search(_text(entries[path])) for path in templates):
            yield directory


def _render(directory: str, entries: Mapping[str, Entry], helm: str) -> dict[str, str]:
    """Return the rendered templates of a chart by their paths; a template that renders nothing is empty."""
    prefix = f"{directory}/" if directory else ""
    paths = [path for path in entries if path.startswith(prefix) and PurePosixPath(path).name.lower() != _SCHEMA]
    if len(paths) > MOST_FILES:
        raise _NotRendered(f"the chart has more than {MOST_FILES} files")
    with TemporaryDirectory(prefix="scanner-chart-") as place:
        root = Path(place) / "chart"
        for path in paths:
            file = root / path.removeprefix(prefix)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_chart_text(path, prefix, paths, entries), encoding="utf-8")
        output = _run(helm, root, Path(place))
    documents = _documents(output, prefix)
    templates = [path for path in paths if path.startswith(f"{prefix}templates/")]
    return {path: documents.get(path, "") for path in templates if path.endswith((".yaml", ".yml"))}


def _chart_text(path: str, prefix: str, paths: Iterable[str], entries: Mapping[str, Entry]) -> str:
    """Return the text of a file of a chart; dependencies that are not beside it are left out."""
    text = _text(entries[path])
    has_parts = any(other.startswith(f"{prefix}charts/") for other in paths)
    return text if path != f"{prefix}{_CHART}" or has_parts else _DEPENDENCIES.sub("", text)


def _run(helm: str, chart: Path, home: Path) -> str:
    environment = {
        "PATH": os.defpath,
        "HOME": str(home),
        **{f"HELM_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "DATA")},
        "HELM_PLUGINS": str(home / "plugins"),
        "KUBECONFIG": os.devnull,
        "GOMAXPROCS": "2",
    }
    output = home / "output.yaml"
    try:
        with output.open("wb") as file:
            done = subprocess.run(  # noqa: S603 - a list, no shell
                [helm, "template", "release", str(chart), "--skip-tests"],
                stdout=file,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=home,
                timeout=PATIENCE,
                check=False,
                preexec_fn=_limit,
            )
    except subprocess.TimeoutExpired as error:
        raise _NotRendered(f"helm template takes more than {PATIENCE} seconds") from error
    except OSError as error:
        raise _NotRendered(f"helm cannot be started: {error.strerror}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it is ended"]
        reason = mask_text(lines[-1].replace(str(home), ""))[:300]
        raise _NotRendered(f"helm template fails: {reason}")
    return output.read_text(encoding="utf-8", errors="replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_OUTPUT, LARGEST_OUTPUT))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _documents(output: str, prefix: str) -> dict[str, str]:
    """Return the rendered text of each template by its path; Helm writes the chart's name before it."""
    texts: dict[str, str] = {}
    marks = list(_SOURCE.finditer(output))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.start() if following else len(output)
        path = prefix + str(PurePosixPath(*PurePosixPath(mark["path"]).parts[1:]))
        texts[path] = f"{texts[path]}\n---\n" if path in texts else ""
        texts[path] += _SEPARATOR.sub("\n", output[mark.end() : end].rstrip())
    return texts


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _text(entry: Entry) -> str:
    try:
        return text_of(entry).text
    except UnreadText:
        return ""


def _constant(text: str) -> Callable[[], bytes]:
    return lambda: text.encode()


def installed_helm() -> str | None:
    """Return the path of Helm; None if it is not installed."""
    return shutil.which("helm")
