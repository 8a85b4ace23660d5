"""Requests by kafka-python: translated properties, messages of our own, errors."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("kafka", reason="kafka-python, of the extra kafka-clients, is not installed")

from kafka import errors
from kafka.net.manager import KafkaConnectionManager

from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.protocol import _DEFINED, BrokerSession, translated
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable

SETTINGS = KafkaSettings(brokers=("kafka-1:9092",), properties={"sasl.password": "planted-secret"}, timeout=2)


def test_security_is_translated() -> None:
    """The names differ; what tunes librdkafka is no matter here."""
    properties = {
        "security.protocol": "sasl_ssl",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": "u",
        "sasl.password": "p",
        "ssl.ca.location": "/ca.pem",
        "ssl.endpoint.identification.algorithm": "none",
        "socket.timeout.ms": "100",
    }

    assert translated(properties) == {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "u",
        "sasl_plain_password": "p",
        "ssl_cafile": "/ca.pem",
        "ssl_check_hostname": False,
    }


@pytest.mark.parametrize(
    "properties",
    [
        {"sasl.mechanism": "OAUTHBEARER"},
        {"ssl.ca.pem": "-----BEGIN"},
        {"enable.ssl.certificate.verification": "false"},
        {"ssl.ca.location": "probe"},
        {"sasl.oauthbearer.client.id": "a"},
    ],
)
def test_security_that_cannot_be_translated_is_refused(properties: dict[str, str]) -> None:
    """A connection without it would be another one than the user asked for."""
    with pytest.raises(InputInvalid) as caught:
        translated(properties)

    assert next(iter(properties)).partition(" ")[0] in caught.value.what


def test_messages_survive_the_wire() -> None:
    """Each version is encoded and decoded by its own definition."""
    for name, message in _DEFINED.items():
        for version in range(message.json["validVersions"].startswith("1"), message.max_version + 1):
            empty = message[version](group_ids=["a"]) if name.endswith("Request") else message[version](groups=[])
            assert message.decode(empty.encode(), version=version).to_dict() == empty.to_dict()


class Admin:
    """Stands in for KafkaAdminClient: *answer* is what a request ends with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self._manager = SimpleNamespace(
            cluster=SimpleNamespace(brokers=lambda: [SimpleNamespace(node_id=2), SimpleNamespace(node_id=1)]),
            run=self._run,
        )

    def __call__(self, **settings: Any) -> Admin:
        self.settings = settings
        return self

    def close(self) -> None:
        pass

    def _run(self, *_: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return SimpleNamespace(to_dict=lambda: self.answer)

    _find_coordinator_ids = None


def test_each_broker_is_asked_within_the_timeout() -> None:
    """Transactions are distributed over brokers."""
    admin = Admin({"error_code": 0})
    session = BrokerSession(SETTINGS, admin)

    assert session.at_brokers("ListTransactions") == [{"error_code": 0}] * 2
    assert (session.requests, admin.settings["request_timeout_ms"]) == (2, 2000)


@pytest.mark.parametrize(("seconds", "sent"), [(15.0, 1), (0.1, 3)])
def test_brokers_that_do_not_answer_in_time_are_asked_once(seconds: float, sent: int) -> None:
    """Each kind of group would wait as long again; a connection that breaks at once costs nothing."""
    admin, calls = Admin(errors.KafkaTimeoutError("late")), []
    admin._manager.run = lambda *_: calls.append(seconds) or admin._run()
    session = BrokerSession(SETTINGS, admin, now=lambda: sum(calls))

    for _ in range(3):
        with pytest.raises(SourceUnreachable, match="late"):
            session.at_brokers("ListGroups")

    assert len(calls) == sent


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.SaslAuthenticationFailedError("planted-secret is wrong"), SourceRefused),
        (errors.TransactionalIdAuthorizationFailedError(), SourceRefused),
        (errors.KafkaTimeoutError("late"), SourceUnreachable),
        (OSError("gone"), SourceUnreachable),
    ],
)
def test_errors_are_ours_and_hold_no_secret(error: Exception, kind: type[Exception]) -> None:
    """What the user does next decides."""
    with pytest.raises(kind) as caught:
        BrokerSession(SETTINGS, Admin(error)).at_brokers("ListGroups")

    assert "planted-secret" not in str(caught.value)


def test_private_calls_of_the_library_are_there() -> None:
    """They may go with any version: then this fails before a user's scan does."""
    assert all(hasattr(KafkaConnectionManager, name) for name in ("run", "send"))
    assert hasattr(__import__("kafka").KafkaAdminClient, "_find_coordinator_ids")
