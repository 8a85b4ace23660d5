"""cluster.json: its JSON Schema, and files for the clusters that Confluent Cloud lists or that answer at addresses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scanner_api.files import Notify, ScanProgress, check_directory, ignore, no_scan_progress, write_text
from scanner_extractor.config.loader import cluster_schema as published_schema
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.discovery.config_templates import (
    KEY_VARIABLE,
    SECRET_VARIABLE,
    Probed,
    Prober,
    cloud_files,
    listens,
    probe_brokers,
    probed_file,
)
from scanner_extractor.discovery.config_templates import Initial as ClusterTemplate
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import read_address
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.settings.cluster import BasicAuth, HttpSettings
from scanner_extractor.settings.confluent_cloud import CLOUD_URL, CloudSettings
from scanner_extractor.sources.confluent_cloud.discovery import read_cloud
from scanner_model.errors import InputInvalid
from scanner_model.text import visible_json

__all__ = [
    "KEY_VARIABLE",
    "SECRET_VARIABLE",
    "ClusterTemplate",
    "Probed",
    "cloud_templates",
    "cluster_schema",
    "probe_addresses",
    "probed_template",
    "write_templates",
]


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
    return tuple(cloud_files(result.organization, url=address))


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


def _address(url: str) -> str:
    try:
        return read_address(url).url
    except ValueError as error:
        raise InputInvalid(f"{url!r} is not a web address", where="--url", hint="write https://host") from error
