"""A session in a Spark Connect server: what its client needs, whether the server is there, which settings it takes."""

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
"""Seconds for an answer; PySpark's client by itself tries again for ten minutes, and says nothing meanwhile."""

_RETRIES = 5
"""How often each thing is asked again of a server that went away: 17 seconds, and not the ten minutes of PySpark."""

_NO_METHOD = "/spark.connect.SparkConnectService/Hello"
"""What every server answers at once, because it has no such method: nothing is begun there, and nothing logged."""


def connect(name: str, settings: Mapping[str, str], remote: str) -> SparkSession:
    """Begin a session called *name* in the server at *remote*, with *settings* that every server takes.

    Raises InputInvalid where *remote* is no address or packages are missing, ScannerError where nobody answers.
    """
    channels = _channels(remote)
    _check_answers(channels)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name).remote(remote)
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    from pyspark.sql.connect.client.retries import DefaultPolicy

    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")  # the error that follows is told
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
    return session


def change_settings(session: SparkSession, settings: Mapping[str, str]) -> None:
    """Set what people asked for; raises InputInvalid for what the server refuses, or would leave without effect."""
    from pyspark.errors import PySparkException

    hint = "what is no setting of a session is given to the server when that is started"
    for name, value in settings.items():
        where = f"--spark-conf {name}"
        if name == "spark.master":
            raise InputInvalid("the server has its own master", where=where, hint="leave it out")
        try:
            session.conf.set(name, value)
        except PySparkException as error:
            said = str(error).splitlines()[0].partition(" SQLSTATE")[0]
            raise InputInvalid(f"the server refuses it: {said}", where=where, hint=hint) from error


def masked_address(remote: str) -> str:
    """Return the address *remote* as it may be told: its parameters hold a token."""
    return mask_url(remote.partition(";")[0]).rstrip("/")


def _channels(remote: str) -> DefaultChannelBuilder:
    try:
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError as error:
        what = "what PySpark needs for Spark Connect is not installed"
        hint = "pip install 'kafka-lineage-scanner[spark-connect]'"
        raise InputInvalid(what, where="--spark-remote", hint=hint) from error
    try:
        return DefaultChannelBuilder(remote)
    except ValueError as error:
        hint = "as in sc://host:15002 or sc://host:443/;token=…"
        raise InputInvalid("this is no address of a Spark Connect server", where="--spark-remote", hint=hint) from error


def _check_answers(channels: DefaultChannelBuilder) -> None:
    import grpc

    nobody = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    with channels.toChannel() as channel:
        try:
            channel.unary_unary(_NO_METHOD)(b"", timeout=_PATIENCE)
        except grpc.RpcError as error:
            if error.code() in nobody:
                what = f"no Spark Connect server answers: {error.details()}"
                hint = "start it, or name another one"
                raise ScannerError(what, where=f"--spark-remote sc://{channels.endpoint}", hint=hint) from error
