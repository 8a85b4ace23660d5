"""Probes of `scanner doctor`: one read-only attempt on a source each, and how attempts become results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from scanner_model.errors import PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId

HINT = "check the `url` and `type` of this source"


class State(StrEnum):
    """How an attempt went, named after what an operator does next."""

    OK = "ok"
    REFUSED = "refused"
    """Credentials or rights are missing."""
    UNREACHABLE = "unreachable"
    """No response, or the server failed."""
    UNEXPECTED = "unexpected"
    """There was a response, but not one that this kind of source sends."""


_STATES = ((SourceRefused, State.REFUSED), (SourceUnreachable, State.UNREACHABLE))


@dataclass(frozen=True, slots=True)
class Probe:
    """One attempt: *tried* names it, *run* returns in a few words what was found and raises ScannerError.

    *required*: where it fails, the later probes of the same source could only fail the same way and are left out.
    """

    tried: str
    run: Callable[[], str]
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One attempt: what was *tried* on which *source*; *detail* is what was found, or why nothing was."""

    source: SourceId
    tried: str
    state: State
    detail: str
    hint: str = ""


def run_probes(source: SourceId, probes: Iterable[Probe]) -> Iterator[CheckResult]:
    """Run *probes* in order until a required one fails; a later probe is created after the one before it has run."""
    for probe in probes:
        result = _attempt(source, probe)
        yield result
        if probe.required and result.state is not State.OK:
            return


def unexpected(what: str) -> PayloadUnexpected:
    """Return the error for a response that this kind of source does not send."""
    return PayloadUnexpected(what, hint=HINT)


def _attempt(source: SourceId, probe: Probe) -> CheckResult:
    try:
        return CheckResult(source=source, tried=probe.tried, state=State.OK, detail=probe.run())
    except ScannerError as error:
        state = next((state for kind, state in _STATES if isinstance(error, kind)), State.UNEXPECTED)
        detail = f"{error.where}: {error.what}" if error.where else error.what
        return CheckResult(source=source, tried=probe.tried, state=state, detail=detail, hint=error.hint or HINT)
