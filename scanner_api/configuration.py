"""cluster.json: its JSON Schema, and files for the clusters that Confluent Cloud lists or that answer at addresses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from manual_input.json_cursor import example, find_files, schema
from manual_input.loader import Check as ManualCheck
from manual_input.loader import Reach
from manual_input.loader import check as check_files
from scanner_api.files import Notify, ScanProgress, check_directory, ignore, no_scan_progress, write_text
from scanner_api.scanning.clusters import read_clusters, repository_cluster
from scanner_extractor.config.loader import cluster_schema as published_schema
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.config.templates import (
    KEY_VARIABLE,
    SECRET_VARIABLE,
    Probed,
    Prober,
    cloud_files,
    listens,
    probe_brokers,
    probed_file,
)
from scanner_extractor.config.templates import Initial as ClusterTemplate
from scanner_extractor.formats import format_names
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Transport, read_address
from scanner_extractor.probes import CheckResult, Probe, State, run_probes
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.repository.reader import SETTINGS, directory_reading
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.repository.topic_files.forms import DESCRIPTION
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.expansion import expanded
from scanner_extractor.scan.source_kinds import experimental_sources, kinds_of
from scanner_extractor.settings.cluster import BasicAuth, HttpSettings, KafkaSettings, Settings
from scanner_extractor.source_kind import DISCOVERY
from scanner_extractor.systems.confluent_cloud.discovery import read_cloud
from scanner_extractor.systems.confluent_cloud.probes import CloudFound, cloud_probes
from scanner_extractor.systems.confluent_cloud.settings import CLOUD_URL, CloudSettings, Lacking, Organization
from scanner_extractor.systems.kafka.admin import probe
from scanner_model.declarations import UnreadFile
from scanner_model.documents.json_input import load_text
from scanner_model.errors import InputInvalid
from scanner_model.names import ClusterName, SourceId
from scanner_model.plugins import Plugin, installed_plugins
from scanner_model.text import visible_json

__all__ = [
    "KEY_VARIABLE",
    "SECRET_VARIABLE",
    "CheckResult",
    "ClusterTemplate",
    "FoundKind",
    "ManualCheck",
    "Probed",
    "State",
    "check_manual_input",
    "check_plugins",
    "cloud_templates",
    "cluster_schema",
    "is_cluster_file",
    "manual_input_example",
    "manual_input_schema",
    "probe_addresses",
    "probe_sources",
    "probed_template",
    "repository_template",
    "write_templates",
]


def probe_sources(
    settings: Settings, *, probe: Callable[[KafkaSettings], str], exchange: Transport | None = None
) -> Iterator[CheckResult]:
    """Try every source, a few probes each, in the order in which a scan reads them; then every installed plug-in.

    *probe* requests the brokers' metadata and reports it in a few words; *exchange* replaces the network. Raises
    no ScannerError, each is a result. The sources of a cluster of Confluent Cloud are found first.
    """
    connections = Connections(probe=probe, transport=exchange)
    discovered = CloudFound()
    if cloud := settings.cloud:
        with connections.http(cloud.http, cloud.source) as http:
            yield from run_probes(cloud.source, cloud_probes(cloud, http, discovered))
        settings = expanded(settings, cloud, discovered.organization) if discovered.organization else settings
    yield from (_missing_key_result(lacking) for lacking in settings.lacking)
    for kind in kinds_of(settings):
        for source in kind.sources(settings) if kind.phase != DISCOVERY else ():
            yield from run_probes(source.source, kind.check(source, connections))
    yield from check_plugins()


def check_plugins() -> Iterator[CheckResult]:
    """Try to load every installed plug-in."""
    for plugin in installed_plugins():
        yield from run_probes(SourceId(f"plugin:{plugin.package}"), [_plugin_probe(plugin)])


def _plugin_probe(plugin: Plugin) -> Probe:
    def load() -> str:
        plugin.load()
        return f"{plugin.package} {plugin.version}".strip()

    return Probe(f"load {plugin.group}:{plugin.name}", load)


def _missing_key_result(lacking: Lacking) -> CheckResult:
    return CheckResult(
        source=lacking.source, tried="look for a key", state=State.REFUSED, detail=lacking.what, hint=lacking.hint
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionCheck:
    """One attempt on one source: *tried* names it, *detail* is what was found, or why nothing was.

    *state* is ok, refused, unreachable or unexpected. *hint* is the next step, empty if absent.
    *note* says what the system was tested with if scanner never read it live.
    """

    cluster: ClusterName
    source: SourceId
    tried: str
    state: str
    detail: str
    hint: str
    note: str = ""

    @property
    def is_ok(self) -> bool:
        """Return whether the attempt succeeded."""
        return self.state == State.OK


def check(
    config_files: Sequence[str | Path], *, progress: ScanProgress = no_scan_progress
) -> tuple[ConnectionCheck, ...]:
    """Try every source of *config_files* (cluster.json each) and every installed plug-in; change nothing.

    The result has the order of the files, and in each the order of a scan. What fails is a result, not an exception;
    raises InputInvalid for a file.

    >>> [result.source for result in check(["cluster.json"]) if not result.is_ok]
    """
    checks: list[ConnectionCheck] = []
    for settings in read_clusters([str(file) for file in config_files]):
        step = SourceId(f"checking {settings.cluster}")
        progress(step, 0, None)
        notes = dict(experimental_sources(settings))
        for number, result in enumerate(probe_sources(settings, probe=probe), 1):
            progress(step, number, None)
            checks.append(_of_cluster(settings.cluster, result, notes.get(result.source, "")))
    return tuple(checks)


def _of_cluster(cluster: ClusterName, result: CheckResult, note: str) -> ConnectionCheck:
    return ConnectionCheck(
        cluster=cluster,
        source=result.source,
        tried=result.tried,
        state=str(result.state),
        detail=result.detail,
        hint=result.hint,
        note=note,
    )


def cluster_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of cluster.json, by which editors complete a file.

    >>> cluster_schema()["required"]
    """
    schema: dict[str, Any] = published_schema()
    return schema


def cloud_templates(
    key: str,
    secret: str,
    *,
    url: str = "",
    environment: str = "",
    cluster: str = "",
    progress: ScanProgress = no_scan_progress,
    notify: Notify = ignore,
) -> tuple[ClusterTemplate, ...]:
    """Return a cluster.json for each Kafka cluster that a Cloud API key shows, by the clusters' ids.

    *url* is the control plane, empty for the public one. *environment* (env-…) and *cluster* (lkc-…) limit the result.
    The documents name environment variables, never secrets; *notify* gets what could not be listed. Raises
    InputInvalid for a bad *url*, SourceRefused for a bad key, SourceUnreachable.

    >>> [template.file for template in cloud_templates(key, secret)]
    """
    address = url or CLOUD_URL
    http = HttpSettings(url=_address(address), auth=BasicAuth(user=key, password=secret))
    settings = CloudSettings(http=http, cluster=cluster, environment=environment)
    with Http(http, settings.source) as client:
        result = read_cloud(settings, client, progress)
    for problem in result.problems:
        notify(f"note: {problem}")
    return tuple(cloud_files(*result.of(Organization), url=address))


def probe_addresses(addresses: Sequence[str], *, progress: ScanProgress = no_scan_progress) -> tuple[Probed, ...]:
    """Return what serves each of *addresses*, `HOST:PORT`, or `HOST` for the usual ports; only GETs are sent.

    *kind* of a result is None where the service is unknown or nothing answers. Raises InputInvalid for a bad address.

    >>> [(server.url, server.kind) for server in probe_addresses(["localhost"])]
    """
    prober = Prober(brokers=probe_brokers, reachable=listens)
    return tuple(server for address in addresses for server in prober.probe(address, progress))


def probed_template(servers: Sequence[Probed], name: str) -> ClusterTemplate:
    """Return the cluster.json of the cluster *name* that *servers* belong to.

    Raises InputInvalid where no broker is among them, or brokers of two clusters.
    """
    return probed_file(servers, name)


def write_templates(templates: Sequence[ClusterTemplate], directory: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write each template into *directory*, load it as a scan would, and return the files.

    Raises InputInvalid, before anything is written, where one of them exists and *force* is not set, or *directory*
    cannot be written.
    """
    check_directory(directory, "--output")
    files = tuple(directory / template.file for template in templates)
    existing = [str(file) for file in files if file.exists()]
    if existing and not force:
        hint = "name another directory with -o, or overwrite them with --force"
        raise InputInvalid("exists already", where=", ".join(existing), hint=hint)
    for file, template in zip(files, templates, strict=True):
        write_text(file, visible_json(template.document) + "\n")
        read_cluster_file(file, dict.fromkeys(template.variables, "x"), tuple(REGISTRIES))
    return files


class FoundKind(NamedTuple):
    """What a directory has of one kind of file: how many *files*, what is read of them, and what is not, and why."""

    kind: str
    files: int
    read: str
    unread: str


def repository_template(
    directories: Sequence[Path], variables: Mapping[str, str], *, name: str = "", base: Path = Path()
) -> tuple[ClusterTemplate, tuple[FoundKind, ...]]:
    """Return the cluster.json of *directories* of files, and what was found in them by kind of file.

    *base* is the directory that the file will be in, *variables* are values for placeholders. Raises InputInvalid for
    a path that is not a directory.
    """
    loaded = repository_cluster(directories, variables)
    rows: list[FoundKind] = []
    items: list[dict[str, Any]] = []
    for settings in loaded.settings.others["repositories"]:
        rows += _found_kinds(directory_reading(settings, lambda *_: None))
        path = os.path.relpath(settings.directory.resolve(), base.resolve())
        items.append({"path": Path(path).as_posix(), **({"variables": dict(variables)} if variables else {})})
    document = {"cluster": name or str(loaded.settings.cluster), "repositories": items}
    return ClusterTemplate(file="cluster.json", document=document), tuple(rows)


def _found_kinds(reading: RepositoryReading) -> Iterator[FoundKind]:
    files_unread = reading.of(UnreadFile)
    others = {path for kind, files in reading.files.items() if kind != DESCRIPTION for path in files}
    for kind, listed in sorted(reading.files.items()):
        files = [path for path in listed if kind != DESCRIPTION or path not in others]  # each file counts once
        if not files:
            continue
        declaring = [path for path in files if path in reading.places or kind in ("schema", SETTINGS)]
        unread = [file for file in files_unread if file.name.partition(":")[0] in files]
        reasons = "; ".join(dict.fromkeys(file.reason for file in unread))
        yield FoundKind(kind, len(files), f"{len(declaring)} files", f"{len(unread)}: {reasons}" if unread else "")
    others.update(reading.files.get(DESCRIPTION, ()))
    for kind in sorted({file.kind for file in files_unread if file.name.partition(":")[0] not in others}):
        alone = [file for file in files_unread if file.kind == kind]
        reasons = "; ".join(dict.fromkeys(file.reason for file in alone))
        yield FoundKind(kind, len(alone), "", f"{len(alone)}: {reasons}")


def _address(url: str) -> str:
    try:
        return read_address(url).url
    except ValueError as error:
        raise InputInvalid(f"{url!r} is not a web address", where="--url", hint="write https://host") from error


def is_cluster_file(file: str | Path) -> bool:
    """Return whether *file* has a member of cluster.json that manual input lacks; False for an unreadable file."""
    try:
        document = load_text(Path(file).read_text("utf-8-sig"))
    except (OSError, ValueError):
        return False
    own = published_schema()["properties"].keys() - schema()["properties"].keys()
    return isinstance(document, dict) and not own.isdisjoint(document)


def check_manual_input(files: Sequence[str | Path], *, base: Path = Path()) -> ManualCheck:
    """Return every problem of manual-input files, with file, line and column, and counts for each cluster.

    *files* are files, globs and directories, relative to *base*. The result is valid where a scan would accept the
    files: warnings alone leave it valid. Schemas may have any format that is installed. Raises InputInvalid that lists
    every name without a file.

    >>> check_manual_input(["manual"]).valid
    """
    return check_files(find_files([str(file) for file in files], base), Reach(formats=format_names()))


def manual_input_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of manual-input files, by which editors complete one."""
    return schema()


def manual_input_example() -> str:
    """Return the text of an example file that uses every part of the format."""
    return example()
