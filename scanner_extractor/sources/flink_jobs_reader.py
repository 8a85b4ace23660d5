"""Reads what a Flink JobManager tells of its jobs; asks nobody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from scanner_extractor.exchange import Json
from scanner_model.errors import PayloadUnexpected
from scanner_model.flink import FlinkJob
from scanner_model.names import SourceId
from scanner_model.redaction import mask_json, mask_text

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_jobs(payload: Json, source: SourceId) -> tuple[FlinkJob, ...]:
    """Read `GET /jobs/overview`: jobs without plans, sorted by id; one without an id is left out.

    Raises PayloadUnexpected where it is no list of jobs.
    """
    match payload:
        case {"jobs": list(jobs)}:
            told = [_job(each, source) for each in jobs if isinstance(each, dict) and _text(each, "jid").isalnum()]
            return tuple(sorted(told, key=lambda job: job.name))
        case _:
            raise PayloadUnexpected("the answer is not a list of jobs", hint="check the `url` of this source")


def read_plan(payload: Json) -> str:
    """Read `GET /jobs/{id}/plan`: the plan as JSON text, secrets hidden; raises PayloadUnexpected."""
    match payload:
        case {"plan": dict(plan)}:
            return json.dumps(mask_json(plan), ensure_ascii=False)
        case _:
            raise PayloadUnexpected("the answer is not the plan of a job")


def read_cause(payload: Json) -> str:
    """Read `GET /jobs/{id}/exceptions`: the trace of the newest failure, secrets hidden; empty where none is told.

    Raises PayloadUnexpected for anything of another shape. Before Flink 2.0 `root-exception` tells it, too.
    """
    match payload:
        case {"exceptionHistory": {"entries": [{"stacktrace": str(trace)}, *_]}} | {"root-exception": str(trace)}:
            return mask_text(trace)
        case dict():
            return ""
        case _:
            raise PayloadUnexpected("the answer does not tell why a job failed")


def read_version(payload: Json) -> str:
    """Read the version of Flink from `GET /overview`; raises PayloadUnexpected."""
    match payload:
        case {"flink-version": str(version)}:
            return version
        case _:
            raise PayloadUnexpected("the answer is not that of a job manager", hint="check the `url` of this source")


def read_gateway(payload: Json) -> str:
    """Read product and version from `GET /v1/info` of a SQL gateway; raises PayloadUnexpected."""
    match payload:
        case {"productName": str(product), "version": str(version)}:
            return f"{product} {version}"
        case _:
            raise PayloadUnexpected("the answer is not that of a SQL gateway", hint="check the `url` of this source")


def _job(told: Mapping[str, Json], source: SourceId) -> FlinkJob:
    return FlinkJob(
        source=source,
        name=_text(told, "jid"),
        title=mask_text(_text(told, "name")),
        state=_text(told, "state"),
        started=_moment(told.get("start-time")),
    )


def _moment(milliseconds: Json) -> str:
    """Give a time in milliseconds as ISO 8601; empty where it is none, as -1 of a job that has not started."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int) or milliseconds < 0:
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


def _text(value: Mapping[str, Json], member: str) -> str:
    text = value.get(member)
    return text if isinstance(text, str) else ""
