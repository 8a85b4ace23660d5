"""`scanner init`: write a cluster.json, from Confluent Cloud's control plane, files, or by probing addresses."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.command import command, section
from scanner_cli.console import echo_err
from scanner_cli.options import repository_options
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.output.scan_report import report_text, scan_status
from scanner_cli.usage_errors import combined_status
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.configuration import ClusterTemplate

_COLUMNS = ("file", "cluster", "sources", "variables")


@command("init")
@section(
    "From a repository",
    repository_options,
    click.option("--extract", default="", metavar="DICTIONARY", help="Also scan, into this dictionary."),
)
@section(
    "From servers",
    click.option(
        "--probe",
        "addresses",
        multiple=True,
        metavar="HOST[:PORT]",
        help="Detect the server at this address, or at the usual ports; repeatable.",
    ),
)
@section(
    "From Confluent Cloud",
    click.option("--cloud", is_flag=True, help="Query Confluent Cloud: one file for each Kafka cluster."),
    click.option("--environment", metavar="ENV", default="", help="Only this environment (env-…)."),
    click.option("--cluster", metavar="LKC", default="", help="Only this Kafka cluster (lkc-…)."),
    click.option("--url", metavar="URL", default="", help="The control plane, if it is not the public one."),
)
@click.option("--name", default="", metavar="NAME", help="The name of the cluster, with --probe and --from.")
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
    directories: Sequence[Path],
    variables: Mapping[str, str],
    extract: str,
    output: Path,
    force: bool,
    style: str,
) -> int:
    """Write a cluster.json for each cluster that is found; nothing else is changed.

    With --from, files of directories are found by content: schemas, statements, connectors, topics, DDL. A table shows
    which kinds there are, what of them is read, and what is not and why.

    With --cloud the Cloud API key is taken from CONFLUENT_CLOUD_API_KEY and CONFLUENT_CLOUD_API_SECRET. Files
    contain names of variables, never secrets; keys of single planes may stay unset, and those planes are skipped.

    \b
    Examples:
      scanner init --cloud -o clusters
      scanner init --cloud --environment env-x1 --cluster lkc-aa11
      scanner init --probe kafka-1:9092 --probe registry:8081 --name retail
      scanner init --probe localhost
      scanner init --from . --extract repository.db

    Exit status 2: a file exists already, or no cluster was found; with --extract that of `scanner scan`.
    """
    if cloud + bool(addresses) + bool(directories) != 1:
        hint = "write --cloud, --from DIR, or --probe HOST:PORT for each address"
        raise InputInvalid("--cloud, --from or --probe is missing", where="scanner init", hint=hint)
    if directories:
        return _repository(directories, variables, name, output, force=force, style=style, into=extract)
    templates = _cloud(environment, cluster, url) if cloud else (_probed(addresses, name or "kafka"),)
    if not templates:
        raise InputInvalid("the key shows no Kafka cluster", where="--cloud", hint="may its account see any?")
    files = library.write_templates(templates, output, force=force)
    _report_variables(templates)
    show([_row(template, file) for template, file in zip(templates, files, strict=True)], _COLUMNS, style)
    return 0


def _repository(
    directories: Sequence[Path],
    variables: Mapping[str, str],
    name: str,
    output: Path,
    *,
    force: bool,
    style: str,
    into: str,
) -> int:
    """Write the cluster.json of directories, show what was found, and scan it where that is requested."""
    template, found = library.repository_template(directories, variables, name=name, base=output)
    if not found:
        hint = "scanner looks for schemas, SQL, connectors, topics and programs; name another directory"
        raise InputInvalid("no file that scanner can read", where=", ".join(map(str, directories)), hint=hint)
    (file,) = library.write_templates((template,), output, force=force)
    show([row._asdict() for row in found], library.FoundKind._fields, style)
    echo_err(f"{file}: {sum(row.files for row in found)} files with something to read")
    if not into:
        return 0
    reports = library.scan([file], library.Dictionary(into))
    for report in reports:
        echo_err(report_text(report).removesuffix("\n"), lines=True)
    return combined_status([scan_status(report) for report in reports])


def _cloud(environment: str, cluster: str, url: str) -> tuple[ClusterTemplate, ...]:
    key, secret = os.environ.get(library.KEY_VARIABLE, ""), os.environ.get(library.SECRET_VARIABLE, "")
    if not (key and secret):
        hint = f"set {library.KEY_VARIABLE} and {library.SECRET_VARIABLE} to a Cloud API key"
        raise InputInvalid("there is no Cloud API key", where="--cloud", hint=hint)
    with progress_on(sys.stderr, quiet=False) as progress:
        return library.cloud_templates(
            key, secret, url=url, environment=environment, cluster=cluster, progress=progress, notify=echo_err
        )


def _probed(addresses: Sequence[str], name: str) -> ClusterTemplate:
    with progress_on(sys.stderr, quiet=False) as progress:
        servers = library.probe_addresses(addresses, progress=progress)
    for server in servers:
        detail = f" ({server.detail})" if server.detail else ""
        echo_err(f"{server.url}: {server.kind or 'unknown'}{detail}")
    return library.probed_template(servers, name)


def _report_variables(templates: Sequence[ClusterTemplate]) -> None:
    required = dict.fromkeys(
        name for template in templates for name in template.variables if name not in template.optional
    )
    optional = dict.fromkeys(name for template in templates for name in template.optional)
    if required:
        echo_err(f"set before a scan: {', '.join(required)}")
    if optional:
        echo_err(f"set for planes with keys of their own: {', '.join(optional)}")


def _row(template: ClusterTemplate, file: Path) -> dict[str, Any]:
    return {
        "file": str(file),
        "cluster": template.document["cluster"],
        "sources": list(template.sources),
        "variables": list(template.variables),
    }
