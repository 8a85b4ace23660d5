"""Open a session in a Spark Connect server; imported where one is named, because it needs packages of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import grpc
from pyspark.sql import SparkSession
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.client.retries import DefaultPolicy

from scanner_model.errors import InputInvalid, ScannerError

_PATIENCE = 10.0
"""Seconds to wait for a response; PySpark's client by default retries silently for ten minutes."""

_RETRIES = 5
"""Retries for an unavailable server: 17 seconds, instead of PySpark's ten minutes."""

_NO_METHOD = "/spark.connect.SparkConnectService/Hello"
"""A method that no server has: the error response shows that it is reachable, without starting a session."""


def connect(name: str, settings: Mapping[str, str], remote: str) -> SparkSession:
    """Start a session *name* in the server at *remote*, with *settings* that every server accepts.

    Raises InputInvalid for an invalid address, ScannerError for an unreachable server.
    """
    channels = _channels(remote)
    _check_answers(channels)
    builder = SparkSession.builder.appName(name).remote(remote)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")  # the error that follows is reported
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
    return session


def _channels(remote: str) -> DefaultChannelBuilder:
    try:
        return DefaultChannelBuilder(remote)
    except ValueError as error:
        hint = "as in sc://host:15002 or sc://host:443/;token=…"
        raise InputInvalid("not an address of a Spark Connect server", where="--spark-remote", hint=hint) from error


def _check_answers(channels: DefaultChannelBuilder) -> None:
    unreachable = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    with channels.toChannel() as channel:
        try:
            channel.unary_unary(_NO_METHOD)(b"", timeout=_PATIENCE)
        except grpc.RpcError as error:
            if error.code() in unreachable:
                what = f"no Spark Connect server responds: {error.details()}"
                hint = "start it, or choose another one"
                raise ScannerError(what, where=f"--spark-remote sc://{channels.endpoint}", hint=hint) from error
