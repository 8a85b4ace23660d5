"""`scanner init`: write a cluster.json, from Confluent Cloud's control plane or by probing addresses."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from scanner_api.files import check_directory, write_text
from scanner_cli.console import echo_err
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import Format, format_option, json_text, show
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.discovery.config_templates import (
    KEY_VARIABLE,
    SECRET_VARIABLE,
    Initial,
    Prober,
    cloud_files,
    listens,
    probe_brokers,
    probed_file,
)
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import read_address
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.settings.cluster import BasicAuth, HttpSettings
from scanner_extractor.settings.confluent_cloud import CLOUD_URL, CloudSettings, Organization
from scanner_extractor.sources.confluent_cloud.discovery import read_cloud
from scanner_model.errors import InputInvalid

_COLUMNS = ("file", "cluster", "sources", "variables")


@click.command("init")
@click.option("--cloud", is_flag=True, help="Query Confluent Cloud: one file for each Kafka cluster.")
@click.option("--environment", metavar="ENV", default="", help="With --cloud: only this environment (env-…).")
@click.option("--cluster", metavar="LKC", default="", help="With --cloud: only this Kafka cluster (lkc-…).")
@click.option("--url", metavar="URL", default="", help="With --cloud: the control plane, if it is not the public one.")
@click.option(
    "--probe", "addresses", multiple=True, metavar="HOST[:PORT]", help="Detect the server at this address; repeatable."
)
@click.option("--name", default="kafka", show_default=True, help="With --probe: the name of the cluster.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="The output directory; else the current one.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@format_option(Format.TABLE, Format.JSON)
def init(
    cloud: bool,
    environment: str,
    cluster: str,
    url: str,
    addresses: Sequence[str],
    name: str,
    output: Path,
    force: bool,
    style: str,
) -> None:
    """Write a cluster.json for each cluster that is found; nothing else is changed.

    With --cloud the Cloud API key is taken from CONFLUENT_CLOUD_API_KEY and CONFLUENT_CLOUD_API_SECRET. Files
    contain names of variables, never secrets; keys of single planes may stay unset, and those planes are skipped.

    \b
    Examples:
      scanner init --cloud -o clusters
      scanner init --cloud --environment env-x1 --cluster lkc-aa11
      scanner init --probe kafka-1:9092 --probe registry:8081 --name retail
      scanner init --probe localhost

    Exit status 2: a file exists already, or no cluster was found.
    """
    if cloud == bool(addresses):
        hint = "write --cloud, or --probe HOST:PORT for each address"
        raise InputInvalid("--cloud or --probe is missing", where="scanner init", hint=hint)
    files = _cloud(environment, cluster, url) if cloud else [_probed(addresses, name)]
    if not files:
        raise InputInvalid("the key shows no Kafka cluster", where="--cloud", hint="may its account see any?")
    rows = [_row(each, check_directory(output, "--output") / each.file) for each in files]
    _write(files, output, force=force)
    _report_variables(files)
    show(rows, _COLUMNS, style)


def _cloud(environment: str, cluster: str, url: str) -> list[Initial]:
    address = url or CLOUD_URL
    return list(cloud_files(_organization(environment, cluster, address), url=address))


def _organization(environment: str, cluster: str, url: str) -> Organization:
    key, secret = os.environ.get(KEY_VARIABLE, ""), os.environ.get(SECRET_VARIABLE, "")
    if not (key and secret):
        hint = f"set {KEY_VARIABLE} and {SECRET_VARIABLE} to a Cloud API key"
        raise InputInvalid("there is no Cloud API key", where="--cloud", hint=hint)
    http = HttpSettings(url=_address(url), auth=BasicAuth(user=key, password=secret))
    settings = CloudSettings(http=http, cluster=cluster, environment=environment)
    with progress_on(sys.stderr, quiet=False) as progress, Http(http, settings.source) as client:
        result = read_cloud(settings, client, progress)
    for problem in result.problems:
        echo_err(f"note: {problem}")
    return result.organization


def _address(url: str) -> str:
    try:
        return read_address(url).url
    except ValueError as error:
        raise InputInvalid(f"{url!r} is not a web address", where="--url", hint="write https://host") from error


def _probed(addresses: Sequence[str], name: str) -> Initial:
    prober = Prober(brokers=probe_brokers, reachable=listens)
    with progress_on(sys.stderr, quiet=False) as progress:
        servers = [server for address in addresses for server in prober.probe(address, progress)]
    for server in servers:
        detail = f" ({server.detail})" if server.detail else ""
        echo_err(f"{server.url}: {server.kind or 'unknown'}{detail}")
    return probed_file(servers, name)


def _write(files: Sequence[Initial], directory: Path, *, force: bool) -> None:
    """Write every file, and load each as a scan would; none is written if one of them exists already."""
    existing = [str(directory / each.file) for each in files if (directory / each.file).exists()]
    if existing and not force:
        hint = "name another directory with -o, or overwrite them with --force"
        raise InputInvalid("exists already", where=", ".join(existing), hint=hint)
    for each in files:
        write_text(directory / each.file, json_text(each.document) + "\n")
        read_cluster_file(directory / each.file, dict.fromkeys(each.variables, "x"), tuple(REGISTRIES))


def _report_variables(files: Sequence[Initial]) -> None:
    required = dict.fromkeys(name for each in files for name in each.variables if name not in each.optional)
    optional = dict.fromkeys(name for each in files for name in each.optional)
    if required:
        echo_err(f"set before a scan: {', '.join(required)}")
    if optional:
        echo_err(f"set for planes with keys of their own: {', '.join(optional)}")


def _row(initial: Initial, file: Path) -> dict[str, Any]:
    return {
        "file": str(file),
        "cluster": initial.document["cluster"],
        "sources": list(initial.sources),
        "variables": list(initial.variables),
    }
