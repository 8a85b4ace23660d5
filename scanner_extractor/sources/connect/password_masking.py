"""Mask settings that Connect plug-ins declare as passwords, before responses are read or recorded.

Only a plug-in knows that its setting `cipher.seed` is a secret, and recorded responses must not contain it either.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json, Request, Response, Transport
from scanner_extractor.settings.cluster import ConnectSettings
from scanner_extractor.sources.connect.reader import CLASS, plugin_classes, read_config, read_passwords
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.json_input import check_size, load_json
from scanner_model.redaction import KnownSecrets, mask_config, mask_text

_TRACES = ("trace", "msg")


def with_masked_passwords(settings: ConnectSettings, live: Transport) -> Transport:
    """Return a transport that masks the secrets of every connector in responses of *live*.

    Each new class costs one more request (`GET /connector-plugins/{class}/config`, from Kafka 3.2 on). Where that
    fails, secrets are detected by names and values alone.
    """
    return _PasswordMasking(settings, live)


@dataclass(slots=True)
class _PasswordMasking:
    settings: ConnectSettings
    live: Transport
    passwords: dict[str, frozenset[str]] = field(default_factory=dict)
    secrets: KnownSecrets = field(default_factory=KnownSecrets)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Response:
        """Return the response without secrets; a response without connectors is unchanged."""
        answer = self.live(request)
        if not request.url.startswith(f"{self.settings.http.url}/connectors") or answer.status != 200:
            return answer
        try:
            check_size(answer.body)
            payload = json.loads(answer.body)
        except (ValueError, RecursionError):
            return answer
        text = json.dumps(self._hidden(payload, request), ensure_ascii=False)
        # Half a surrogate pair stays an escape, for the reader to replace and report.
        return replace(answer, body=text.encode("utf-8", "backslashreplace"))

    def _hidden(self, payload: Json, request: Request) -> Json:
        holders = tuple(_holders(payload))
        configs = [_config(holder) for holder in holders]
        classes = sorted({name for config in configs for name in plugin_classes(config).values()})
        self._learn([name for name in classes if name not in self.passwords], request)
        for holder, config in zip(holders, configs, strict=True):
            passwords = (
                prefix + name for prefix, kind in plugin_classes(config).items() for name in self.passwords[kind]
            )
            hidden: list[str] = []
            holder["config"] = mask_config(config, frozenset(passwords), self.settings.secret_names, hidden.append)
            with self.lock:
                self.secrets.add(hidden)
        with self.lock:
            _hide_in_traces(payload, self.secrets)
        return payload

    def _learn(self, classes: list[str], request: Request) -> None:
        """Load the password settings of *classes*."""
        if self.settings.is_managed:  # the service masks them itself, and does not report which
            declared: list[frozenset[str] | ScannerError] = [frozenset()] * len(classes)
        else:
            pool = WorkerPool(threads=self.settings.http.concurrency)
            declared = map_concurrently(classes, lambda name: self._declared(name, request), pool=pool)
        for name, passwords in zip(classes, declared, strict=True):
            self.passwords[name] = frozenset() if isinstance(passwords, ScannerError) else passwords

    def _declared(self, name: str, request: Request) -> frozenset[str]:
        url = f"{self.settings.http.url}/connector-plugins/{quote(name, safe='')}/config"
        answer = self.live(replace(request, method="GET", url=url, body=""))
        try:
            return read_passwords(load_json(answer.body).value) if answer.status == 200 else frozenset()
        except (ValueError, RecursionError):
            return frozenset()


def _holders(payload: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects of a response that hold a configuration: itself, its `info`, or those of its members."""
    if isinstance(payload, dict):
        for entry in (payload, *payload.values()):
            for holder in (entry, entry.get("info")) if isinstance(entry, dict) else ():
                if isinstance(holder, dict) and _config(holder):
                    yield holder


def _config(holder: dict[str, Json]) -> dict[str, str]:
    try:
        config = read_config(holder.get("config"))
    except PayloadUnexpected:
        return {}
    return config if CLASS in config else {}


def _hide_in_traces(payload: Json, secrets: KnownSecrets) -> None:
    """Mask *secrets*, and text that looks like one, in every trace; tasks that fail together share a trace."""
    waiting = [payload]
    done: dict[str, str] = {}
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            for member in _TRACES:
                if isinstance(trace := node.get(member), str) and trace:
                    if trace not in done:
                        done[trace] = mask_text(secrets.hide(trace))
                    node[member] = done[trace]
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
