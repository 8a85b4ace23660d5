"""Object stores and file systems: S3, GCS, Azure, HDFS, files; one folder per topic."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import host_server, in_folder, object_path, without_users
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset, Row, RowColumn
from dataflow_generator.connectors.sinks import sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, fixed, source
from dataflow_generator.connectors.topics import candidate_topics
from scanner_model.errors import Problem

DatasetReader = Callable[[Config], Dataset | None]
"""Returns the store's namespace and the folder before `topics.dir`; None where the configuration lacks them."""

S3_KEYS = ("s3.bucket.name", "s3.bucket", "aws.s3.bucket.name", "aws_s3_bucket")
GCS_KEYS = ("gcs.bucket.name", "gcs.bucket")
AZURE_KEYS = (
    "azblob.container.name",
    "azure.container.name",
    "azure.datalake.gen2.container.name",
    "azure.storage.container.name",
)
HDFS_KEYS = ("hdfs.url", "store.url")
_FOLDER = (
    "topics.dir",
    "s3.prefix",
    "aws.s3.prefix",
    "aws_s3_prefix",
    "gcs.prefix",
    "file.name.prefix",
    "directory.path",
)
_ACCOUNTS = (
    "azblob.account.name",
    "azure.datalake.gen2.account.name",
    "azure.account.name",
    "azure.storage.account.name",
)
_PATHS = (
    "file",
    "input.path",
    "fs.listing.directory.path",
    "fs.scan.directory.path",
    "sftp.listing.directory.path",
    "sftp.input.path",
    "tasks.file.path",
)
_PREFIXES = ("aws.s3.bucket.prefix", "gcs.blobs.filter.prefix", "azure.storage.blob.prefix")
_OF_LINES = frozenset(("FileStreamSource", "SpoolDirLineDelimitedSource"))
"""Sources that write each line of a file as one primitive value."""

_URL = re.compile(r"(?P<scheme>\w+)://(?P<host>[^/?#]*)/*(?P<path>[^?#]*)")


def s3(config: Config) -> Dataset | None:
    """Return the location of an S3 bucket."""
    bucket = config.text(*S3_KEYS)
    return Dataset(f"s3://{bucket}", "") if bucket else None


def gcs(config: Config) -> Dataset | None:
    """Return the location of a GCS bucket."""
    bucket = config.text(*GCS_KEYS)
    return Dataset(f"gs://{bucket}", "") if bucket else None


def azure(config: Config) -> Dataset | None:
    """Return the location of a container of Azure Blob Storage or Data Lake."""
    account = config.text(*_ACCOUNTS)
    container = config.text(*AZURE_KEYS, default="topics" if account else "")
    return Dataset(f"abfss://{container}@{account}.dfs.core.windows.net", "") if account and container else None


def hdfs(config: Config) -> Dataset | None:
    """Return the location of a Hadoop file system; its names keep the leading slash."""
    match = _URL.match(without_users(config.text(*HDFS_KEYS)))
    return Dataset(f"{match['scheme'].lower()}://{match['host']}", f"/{match['path']}") if match else None


def transfer(scheme: str, port: str) -> DatasetReader:
    """Build the location of a server that files are transferred to and from (SFTP, FTPS)."""

    def location(config: Config) -> Dataset | None:
        host = config.text(f"{scheme}.host")
        server = host_server(scheme, host, config.text(f"{scheme}.port", default=port)).namespace
        return Dataset(server, config.text(f"{scheme}.working.dir")) if host else None

    return location


def store_sink(location: DatasetReader, keys: tuple[str, ...], *, default: str = "topics") -> ConnectorReader:
    """Build the reader of a sink that writes each topic into its folder under `topics.dir`, or else *default*."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        store = location(config)
        folder = config.text(*_FOLDER, default=default)
        template = config.text("file.name.template")

        def target(name: str) -> Dataset | None:
            if store is None:
                return None
            if "/" in template or "{{" in folder:
                path = _fixed_folders(f"{folder}{template or _NAME_TEMPLATE}", name)
                return Dataset(store.namespace, in_folder(store.name, path)) if path else None
            start = "/" if store.name.startswith("/") else ""
            return Dataset(
                store.namespace, start + in_folder(store.name, folder.replace("${topic}", name), *_last(folder, name))
            )

        problems = () if store else (Problem(keys[0], f"{keys[0]} is not set"),)
        named = (config.key(*_FOLDER), config.key("file.name.template"))
        return sink(connector, to(target, config.key(*keys), *named, problems=problems))

    return read


_NAME_TEMPLATE = "{{topic}}-{{partition}}-{{start_offset}}"
_VARIABLE = re.compile(r"\{\{\s*topic\s*\}\}|\$\{topic\}")


def _fixed_folders(template: str, topic: str) -> str:
    """Return the folders of a name's template up to the first whose name depends on data; empty without any."""
    folders = [_VARIABLE.sub(lambda _: topic, part) for part in template.split("/")[:-1]]
    fixed = itertools.takewhile(lambda part: "{{" not in part and "${" not in part, folders)
    return in_folder(*fixed)


def store_source(location: DatasetReader, keys: tuple[str, ...]) -> ConnectorReader:
    """Build the reader of a source that reads topics back from their folders, or files by `topic.regex.list`."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        store = location(config)
        folder = config.text(*_FOLDER, default="topics")
        start = "/" if store and store.name.startswith("/") else ""

        def folder_of(*parts: str) -> Dataset | None:
            return Dataset(store.namespace, start + in_folder(store.name, *parts)) if store else None

        because = ", ".join(filter(None, (config.key(*keys), config.key("topic.regex.list", "topics.dir"))))
        listed = [item.partition(":")[0].strip() for item in config.items("topic.regex.list")]
        if listed or config.text("kafka.topic", "topic"):
            named = listed or [config.text("kafka.topic", "topic")]
            return fixed(connector, folder_of(folder), named, because)
        names = candidate_topics(connector)[0] if connector.active is not None else ()
        reads = [SourceRead(source=folder_of(folder, name), topic=name, because=because) for name in names]
        return source(
            connector, SourceReads(reads=tuple(reads) or (SourceRead(source=folder_of(folder), because=because),))
        )

    return read


def folder_source(location: DatasetReader, keys: tuple[str, ...]) -> ConnectorReader:
    """Build the reader of a source that reads the files of one folder, `input.path`, into one topic."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        path_key = config.key("input.path", "ftps.input.path", "sftp.input.path")
        store, path = location(config), config.text(path_key)
        dataset = Dataset(store.namespace, f"/{in_folder(path)}") if store and path else None
        because = ", ".join(filter(None, (config.key(*keys), path_key, "kafka.topic")))
        return fixed(connector, dataset, config.items("kafka.topic", "topic"), because)

    return read


def _last(folder: str, name: str) -> tuple[str, ...]:
    return () if "${topic}" in folder else (name,)


def file_source(connector: Connector) -> ConnectorFlows:
    """Read a source of one file or folder; some of them write each line as one primitive value."""
    key, dataset = _files_read(connector.config)
    names = connector.config.items("topic", "kafka.topic")
    lines = connector.class_name.rpartition(".")[2].removesuffix("Connector") in _OF_LINES
    row = Row((RowColumn((), ((dataset, ()),) if dataset else ()),)) if lines else None
    return replace(fixed(connector, dataset, names, ", ".join(filter(None, (key, "topic")))), row=row)


def _files_read(config: Config) -> tuple[str, Dataset | None]:
    """Return the file, folder or bucket that a source of files reads, and its key."""
    if key := config.key(*_PATHS):
        path = config.text(key)
        host = config.text("sftp.listing.host")
        server = host_server("sftp", host, config.text("sftp.listing.port", default="22")).namespace
        return key, Dataset(server, f"/{in_folder(path)}") if host else object_path(path)
    for keys, location in ((S3_KEYS, s3), (GCS_KEYS, gcs), (AZURE_KEYS, azure)):
        if store := location(config):
            return config.key(*keys), Dataset(store.namespace, in_folder(config.text(*_PREFIXES)) or "/")
    return "", None


def file_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink that writes every topic into one file."""
    path = connector.config.text("file")
    return sink(connector, to(lambda _: object_path(path) if path else None, "file"))
