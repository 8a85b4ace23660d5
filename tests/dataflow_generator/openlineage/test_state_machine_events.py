"""What is said of a run as an event: its facets, and nothing secret in them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.state_machine import RunError, ServerEngine, Transition, transition_event

CONNECT = ServerEngine(name="Kafka Connect")


def messages(state: str, run_error: RunError | None = None) -> Transition:
    """Report that a run of one job has a new state."""
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Transition(run="r-1", state=state, at=at, job=JobEntry(namespace="connect://a", name="cdc"), error=run_error)


def test_event_reports_the_run_its_state_and_its_engine() -> None:
    """Consumers want the version of who reports it, too."""
    event = transition_event(messages("START"), CONNECT, "urn:test")

    assert (event["eventType"], event["eventTime"]) == ("START", "2026-03-01T12:00:00.000Z")
    assert event["run"]["runId"] == "r-1"
    assert event["run"]["facets"].keys() == {"processing_engine"}
    assert event["run"]["facets"]["processing_engine"]["openlineageAdapterVersion"]


def test_error_is_reported_in_the_language_of_the_engine() -> None:
    """A long trace is cut behind what is secret, not in the midst of it, where nobody would see it as such."""
    trace = "java.lang.X: jdbc:postgresql://u:hunter22@h/db\n\tat y\n" * 500

    event = transition_event(
        messages("FAIL", RunError(message="no password=hunter22", trace=trace)), CONNECT, "urn:test"
    )

    facet = event["run"]["facets"]["errorMessage"]
    assert (facet["programmingLanguage"], len(facet["stackTrace"])) == ("JAVA", 4_096)
    assert "hunter" not in json.dumps(event)
