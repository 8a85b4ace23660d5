"""Sessions in a Spark Connect server: client requirements, reachability, and session settings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.redaction import mask_url

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.client import DefaultChannelBuilder

_PATIENCE = 10.0
"""Seconds to wait for a response; PySpark's client by default retries silently for ten minutes."""

_RETRIES = 5
"""Retries for an unavailable server: 17 seconds, instead of PySpark's ten minutes."""

_NO_METHOD = "/spark.connect.SparkConnectService/Hello"
"""A method that no server has: the error response shows that it is reachable, without starting a session."""


def connect(name: str, settings: Mapping[str, str], remote: str) -> SparkSession:
    """Start a session *name* in the server at *remote*, with *settings* that every server accepts.

    Raises InputInvalid for an invalid address or missing packages, ScannerError for an unreachable server.
    """
    channels = _channels(remote)
    _check_answers(channels)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name).remote(remote)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    from pyspark.sql.connect.client.retries import DefaultPolicy

    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")  # the error that follows is reported
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
    return session


def change_settings(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Apply user settings; raises InputInvalid for settings that the server refuses or ignores."""
    from pyspark.errors import PySparkException

    hint = "other than session settings are set when the server is started"
    for name, value in settings.items():
        where = f"--spark-conf {name}"
        if name == "spark.master":
            raise InputInvalid("the server has its own master", where=where, hint="leave it out")
        try:
            session.conf.set(name, value)
        except PySparkException as error:
            message = str(error).splitlines()[0].partition(" SQLSTATE")[0]
            raise InputInvalid(f"refused by the server: {message}", where=where, hint=hint) from error


def masked_address(remote: str) -> str:
    """Return the address *remote* without its parameters, which may contain a token."""
    return mask_url(remote.partition(";")[0]).rstrip("/")


def _channels(remote: str) -> DefaultChannelBuilder:
    try:
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError as error:
        what = "the packages that PySpark needs for Spark Connect are not installed"
        hint = "pip install 'kafka-lineage-scanner[spark-connect]'"
        raise InputInvalid(what, where="--spark-remote", hint=hint) from error
    try:
        return DefaultChannelBuilder(remote)
    except ValueError as error:
        hint = "as in sc://host:15002 or sc://host:443/;token=…"
        raise InputInvalid("not an address of a Spark Connect server", where="--spark-remote", hint=hint) from error


def _check_answers(channels: DefaultChannelBuilder) -> None:
    import grpc

    unreachable = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    with channels.toChannel() as channel:
        try:
            channel.unary_unary(_NO_METHOD)(b"", timeout=_PATIENCE)
        except grpc.RpcError as error:
            if error.code() in unreachable:
                what = f"no Spark Connect server responds: {error.details()}"
                hint = "start it, or choose another one"
                raise ScannerError(what, where=f"--spark-remote sc://{channels.endpoint}", hint=hint) from error
