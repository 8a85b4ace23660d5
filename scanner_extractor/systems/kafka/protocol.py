"""Requests that confluent-kafka has no call for, through kafka-python: transactions, and the newer kinds of groups.

This is the only module that imports kafka-python, an optional library, and that uses its private calls; it is entered
through `scanner_model.plugins.require`. Messages that the library lacks are defined in `messages`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import (
    DescribeTransactionsRequest,
    ListGroupsRequest,
    ListTransactionsRequest,
)
from kafka.protocol.api_message import ApiMessage

from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka import messages
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable
from scanner_model.redaction import KnownSecrets, is_secret_name, mask_text

# At its lowest level the library logs its settings and what it sends, passwords among them.
_LOG = logging.getLogger("kafka")
_LOG.addHandler(logging.NullHandler())
_LOG.setLevel(logging.CRITICAL)
_LOG.propagate = False


_DEFINED: Mapping[str, Any] = {
    name: type(ApiMessage)(name, (ApiMessage,), {}, load_json=messages)
    for api in ("ConsumerGroupDescribe", "ShareGroupDescribe", "StreamsGroupDescribe")
    for name in (f"{api}Request", f"{api}Response")
}
"""The classes of our messages; the library knows those of responses as long as they exist."""

_REQUESTS: Mapping[str, Any] = {
    "ListGroups": ListGroupsRequest,
    "ListTransactions": ListTransactionsRequest,
    "DescribeTransactions": DescribeTransactionsRequest,
    **{name.removesuffix("Request"): message for name, message in _DEFINED.items() if message.is_request()},
}

_SETTINGS: Mapping[str, str] = {
    "client.id": "client_id",
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "sasl.kerberos.service.name": "sasl_kerberos_service_name",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    "ssl.crl.location": "ssl_crlfile",
}
"""Properties of librdkafka as kafka-python calls them."""

_CHECKS_HOST = "ssl.endpoint.identification.algorithm"
_SECURITY = ("ssl.", "sasl.", "https.", "enable.ssl.", "enable.sasl.")
_MECHANISMS = frozenset({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"})
_PATIENCE = 5.0
"""Seconds of a request without an answer after which no other is sent: it would wait as long again."""
_REFUSED = (errors.AuthorizationError, errors.SaslAuthenticationFailedError)
_CHECK = "check `sasl.mechanism`, `sasl.username`, `sasl.password`, and the certificates in `kafka`"


def translated(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return librdkafka's *properties* as settings of kafka-python.

    Those of security count; of the others only `client.id`, since they tune what is not done here. Raises InputInvalid
    for those of security that kafka-python does not take.
    """
    strange = sorted(
        name for name in properties if name.startswith(_SECURITY) and name not in {*_SETTINGS, _CHECKS_HOST}
    )
    settings: dict[str, Any] = {_SETTINGS[name]: value for name, value in properties.items() if name in _SETTINGS}
    settings["security_protocol"] = settings.get("security_protocol", "PLAINTEXT").upper()
    settings["ssl_check_hostname"] = properties.get(_CHECKS_HOST, "https") != "none"
    mechanism = settings.get("sasl_mechanism", "")
    if mechanism and mechanism not in _MECHANISMS:
        strange.append(f"sasl.mechanism {mechanism}")
    if settings.get("ssl_cafile") == "probe":
        strange.append("ssl.ca.location probe")
    if strange:
        what = f"kafka-python, which reads transactions and groups, does not take {', '.join(strange)}"
        hint = "leave `kafka_clients` out, or log in otherwise: see docs/sources/clients.md"
        raise InputInvalid(what, where="kafka", hint=hint)
    return settings


class BrokerSession:
    """Sends requests to the brokers of one cluster; *make* and *now* replace `KafkaAdminClient` and the clock in tests.

    Raises InputInvalid for settings that cannot be translated, SourceRefused and SourceUnreachable within the timeout.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        make: Callable[..., Any] = KafkaAdminClient,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Connect to the first broker that answers."""
        self._now, self._lost = now, ""
        self._where = str(settings.source)
        self._secrets = KnownSecrets(value for name, value in settings.properties.items() if is_secret_name(name))
        milliseconds = int(settings.timeout * 1000)
        given = {
            "client_id": "scanner",
            **translated(settings.properties),
            "bootstrap_servers": list(settings.brokers),
            "request_timeout_ms": milliseconds,
            "bootstrap_timeout_ms": milliseconds,
        }
        self.requests = 0
        self._admin = self._tried(lambda: make(**given))

    def __enter__(self) -> BrokerSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._admin.close()

    def supports(self, name: str) -> bool:
        """Return whether the brokers have the request *name* in a version that is known here."""
        try:
            self._admin._manager.broker_version_data.api_version(_REQUESTS[name])
        except errors.IncompatibleBrokerVersion:
            return False
        return True

    def error_name(self, code: int) -> str:
        """Return Kafka's name of an error code, as GROUP_AUTHORIZATION_FAILED; empty for none."""
        return "" if code == 0 else str(getattr(errors.for_code(code), "message", f"error {code}"))

    def at_brokers(self, name: str, **members: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - members of a message
        """Return the response of each broker to the request *name*; raises SourceRefused and SourceUnreachable."""
        nodes = sorted(broker.node_id for broker in self._admin._manager.cluster.brokers())
        return [self._send(name, node, members) for node in nodes]

    def at_coordinators(
        self,
        name: str,
        keys: Sequence[str],
        member: str,
        **members: Any,  # noqa: ANN401 - members of a message
    ) -> list[dict[str, Any]]:
        """Return the responses of the coordinators of *keys*, which are the *member* of the request *name*."""
        kind = "transaction" if member == "transactional_ids" else "group"
        found = self._tried(lambda: self._admin._manager.run(self._admin._find_coordinator_ids, keys, kind))
        self.requests += 1
        by_node: dict[int, list[str]] = {}
        for key in keys:
            by_node.setdefault(found[key], []).append(key)
        return [self._send(name, node, {member: own, **members}) for node, own in sorted(by_node.items())]

    def _send(self, name: str, node: int, members: Mapping[str, Any]) -> dict[str, Any]:
        manager = self._admin._manager

        async def sent() -> Any:  # noqa: ANN401 - a response of kafka-python
            return await manager.send(_REQUESTS[name](**members), node_id=node)

        self.requests += 1
        answer: dict[str, Any] = self._tried(lambda: manager.run(sent)).to_dict()
        return answer

    def _tried(self, call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the call returns
        """Return what *call* returns, with errors of kafka-python as ours."""
        hint = "are the brokers up, and do `brokers` and `security.protocol` fit their listener?"
        if self._lost:
            raise SourceUnreachable(self._lost, where=self._where, hint=hint)
        started = self._now()
        try:
            return call()
        except _REFUSED as error:
            raise SourceRefused(self._clean(error), where=self._where, hint=_CHECK) from error
        except errors.KafkaConfigurationError as error:
            raise InputInvalid(self._clean(error), where="kafka", hint=_CHECK) from error
        except (errors.KafkaError, OSError, ValueError) as error:
            what = self._clean(error)
            self._lost = what if self._now() - started > _PATIENCE else ""
            raise SourceUnreachable(what, where=self._where, hint=hint) from error

    def _clean(self, error: Exception) -> str:
        return mask_text(self._secrets.hide(" ".join(str(error).split()))) or type(error).__name__
