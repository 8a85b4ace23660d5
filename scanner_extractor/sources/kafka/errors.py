"""Map librdkafka's error codes to scanner's exceptions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scanner_extractor.sources.kafka.reader import KafkaFailure
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.redaction import KnownSecrets, is_secret_name, mask_text

_DENIED = {"_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}
_TLS = {"_SSL"}
_NOISE = re.compile(r"\s*\(after \d+ms in state [^)]*\)|, \d+ identical error\(s\) suppressed")


class Failures:
    """Collects librdkafka's background errors, and selects the most specific one."""

    def __init__(self, properties: Mapping[str, str], where: str) -> None:
        self._secrets = KnownSecrets(value for name, value in properties.items() if _is_secret(name))
        self._where = where
        self._messages: dict[str, str] = {}

    def note(self, error: KafkaFailure) -> None:
        """Record an error of librdkafka's `error_cb`; the newest of each code is retained."""
        self._messages[error.name()] = error.str()

    @property
    def final(self) -> bool:
        """Return whether waiting is useless, as after a wrong password or certificate."""
        return not (_DENIED | _TLS).isdisjoint(self._messages)

    @property
    def all_down(self) -> bool:
        """Return whether librdkafka has found no broker that takes a connection."""
        return "_ALL_BROKERS_DOWN" in self._messages

    def error(self, last: KafkaFailure) -> ScannerError:
        """Return the error that a user sees; *last* is what the call itself ended with."""
        messages = {last.name(): last.str()} | self._messages
        for names, kind, hint in _READINGS:
            for name in sorted(names & messages.keys()):
                return kind(self.clean(messages[name]), where=self._where, hint=hint)
        what = next((text for name, text in messages.items() if name != "_ALL_BROKERS_DOWN"), last.str())
        return SourceUnreachable(self.clean(what), where=self._where, hint=_UNREACHABLE)

    def invalid(self, error: KafkaFailure) -> InputInvalid:
        """Return the error for a property that librdkafka rejects."""
        hint = "these are librdkafka's properties, not Java's: see its CONFIGURATION.md"
        return InputInvalid(self.clean(error.str()), where="kafka", hint=hint)

    def clean(self, text: str) -> str:
        """Return librdkafka's message in one line, without timings and without secrets of the settings."""
        return " ".join(_NOISE.sub("", mask_text(self._secrets.hide(text))).split())


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or name.endswith(".pem")


_UNREACHABLE = "are the brokers up, and do `brokers` and `security.protocol` fit their listener?"
_READINGS: tuple[tuple[set[str], type[ScannerError], str], ...] = (
    (_DENIED, SourceRefused, "check `sasl.mechanism`, `sasl.username` and `sasl.password`"),
    (_TLS, SourceRefused, "check `ssl.ca.location`, the client's certificate and `security.protocol`"),
    ({"_RESOLVE"}, SourceUnreachable, "check the host names in `brokers`"),
    ({"_TRANSPORT"}, SourceUnreachable, _UNREACHABLE),
)
