"""Parse connectors from responses of a Connect worker or of managed Connect; mask settings declared as PASSWORD."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json, Request, Response, Transport
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.documents.json_input import check_size, load_json
from scanner_model.errors import PayloadUnexpected, ScannerError
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask
from scanner_model.names import SourceId, TopicName
from scanner_model.payload import Payload, Unread
from scanner_model.redaction import NO_EXTRA, ExtraNames, KnownSecrets, mask_config, mask_text

CLASS = "connector.class"

_NUMBERS = range(2**31)
_CONVERTERS = ("key.converter", "value.converter", "header.converter")
_ALIASED = ("transforms.", "predicates.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A connector plug-in that a worker has; *version* may be empty."""

    kind: ConnectorKind
    version: str


def read_connector(name: str, payload: Payload, source: SourceId, extra: ExtraNames = NO_EXTRA) -> Connector:
    """Read a member of `GET /connectors?expand=info&expand=status`, secrets hidden; raises PayloadUnexpected.

    *payload* has `info` (as `GET /connectors/{name}`) and `status`, which may be missing; Confluent Cloud adds `id`.
    `topics` is left None: it needs another request.
    """
    info, status = payload.need("info"), payload.object("status")
    hidden: list[str] = []
    config = mask_config(read_config(info.need("config")), extra=extra, on_secret=hidden.append)
    secrets = KnownSecrets(hidden)
    own = status.object("connector")
    return Connector(
        source=source,
        name=name,
        kind=_kind(info.text("type"), status.text("type")),
        connector_class=str(config.get(CLASS, "")),
        config=tuple(sorted((key, str(value)) for key, value in config.items())),
        state=own.text("state"),
        worker=own.text("worker_id"),
        trace=_trace(own, secrets),
        tasks=tuple(_tasks(info.list("tasks"), status.list("tasks"), secrets)),
        plugin_version=own.text("version"),
        managed_id=payload.object("id").text("id"),
    )


def read_config(config: Payload) -> dict[str, str]:
    """Read a configuration: an object, or a list of {config, value}; raises PayloadUnexpected for anything else.

    Numbers and booleans are written as JSON, but not as the name of a class. Settings without a value are left out.
    """
    if isinstance(config.value, list):
        settings = [(pair.need("config").text(), pair.member("value")) for pair in config.list()]
    else:
        settings = list(config.items())
    return {key: _setting(key, value) for key, value in settings if value.value is not None}


def read_active_topics(payload: Payload, name: str) -> tuple[TopicName, ...]:
    """Read `GET /connectors/{name}/topics`, sorted; raises PayloadUnexpected."""
    return tuple(map(TopicName, sorted({topic.text() for topic in payload.need(name).entries("topics")})))


def read_consumed_topics(payload: Payload) -> tuple[TopicName, ...]:
    """Read `GET /connectors/{name}/offsets` of a sink: the topics it has read, sorted; raises PayloadUnexpected."""
    names = {entry.object("partition").text("kafka_topic") for entry in payload.entries("offsets")}
    return tuple(map(TopicName, sorted(names - {""})))


def read_plugins(payload: Payload, unread: Unread) -> dict[str, Plugin]:
    """Read `GET /connector-plugins`: the plug-ins by class; an entry that cannot be read is added to *unread*."""
    return dict(unread.read(payload.list(), _plugin, lambda entry: entry.shown("class")))


def _plugin(entry: Payload) -> tuple[str, Plugin]:
    return entry.text("class"), Plugin(kind=_kind(entry.text("type")), version=_version(entry))


def plugin_classes(config: Mapping[str, str]) -> dict[str, str]:
    """Name the class of every plug-in of a configuration, by the prefix of its settings (empty for the connector)."""
    classes = {"": config.get(CLASS, "")}
    for kind in ("transforms", "predicates"):
        for alias in filter(None, (alias.strip() for alias in config.get(kind, "").split(","))):
            classes[f"{kind}.{alias}."] = config.get(f"{kind}.{alias}.type", "")
    classes |= {f"{converter}.": config.get(converter, "") for converter in _CONVERTERS}
    return {prefix: name for prefix, name in classes.items() if name}


def read_passwords(payload: Payload) -> frozenset[str]:
    """Read `GET /connector-plugins/{class}/config`: the settings that the plug-in itself declares as passwords."""
    return frozenset(entry.shown("name") for entry in payload.list() if entry.shown("type") == "PASSWORD")


def _tasks(listed: list[Payload], status: list[Payload], secrets: KnownSecrets) -> Iterator[ConnectorTask]:
    """Return the tasks by number: those of the status, and those that have none yet."""
    states = {number: task for task in status if (number := task.need("id").number()) in _NUMBERS}
    numbers = {number for task in listed if (number := task.need("task").number()) in _NUMBERS}
    for number in sorted(numbers | states.keys()):
        task = states.get(number, Payload({}))
        state, worker = task.text("state"), task.text("worker_id")
        yield ConnectorTask(number=number, state=state, worker=worker, trace=_trace(task, secrets))


def _trace(status: Payload, secrets: KnownSecrets) -> str:
    return mask_text(secrets.hide(status.text("trace", "msg")))


def _kind(*candidates: str) -> ConnectorKind:
    return next((kind for word in candidates for kind in ConnectorKind if kind == word), ConnectorKind.UNKNOWN)


def _version(plugin: Payload) -> str:
    version = plugin.text("version")
    return "" if version in ("null", "undefined") else version


def _setting(name: str, setting: Payload) -> str:
    """Return the text of a setting; raises PayloadUnexpected if it names a class and is not a text."""
    names_a_class = name == CLASS or name in _CONVERTERS or (name.startswith(_ALIASED) and name.endswith(".type"))
    return setting.text() if names_a_class else _plain(setting)


def _plain(setting: Payload) -> str:
    match setting.value:
        case bool():
            return str(setting.value).lower()
        case int() | float():
            return str(setting.value)
        case _:
            return setting.text()


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
            payload = load_json(answer.body).value
        except (ValueError, RecursionError):
            return answer
        text = json.dumps(self._mask_configs(payload, request), ensure_ascii=False)
        # Half a surrogate pair stays an escape, for the reader to replace and report.
        return replace(answer, body=text.encode("utf-8", "backslashreplace"))

    def _mask_configs(self, payload: Json, request: Request) -> Json:
        holders = tuple(_holders(payload))
        configs = [_config(holder) for holder in holders]
        classes = sorted({name for config in configs for name in plugin_classes(config).values()})
        self._load_passwords([name for name in classes if name not in self.passwords], request)
        for holder, config in zip(holders, configs, strict=True):
            passwords = (
                prefix + name for prefix, kind in plugin_classes(config).items() for name in self.passwords[kind]
            )
            hidden: list[str] = []
            masked = mask_config(config, frozenset(passwords), self.settings.secret_names, hidden.append)
            changed = {name: text for name, text in masked.items() if text != config[name]}
            holder["config"] = _members(holder["config"]) | changed
            with self.lock:
                self.secrets.add(hidden)
        with self.lock:
            _hide_in_traces(payload, self.secrets)
        return payload

    def _load_passwords(self, classes: list[str], request: Request) -> None:
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
            return read_passwords(Payload(load_json(answer.body).value)) if answer.status == 200 else frozenset()
        except (ValueError, RecursionError, PayloadUnexpected):
            return frozenset()


def _holders(payload: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects of a response that hold a configuration: itself, its `info`, or those of its members."""
    if isinstance(payload, dict):
        for entry in (payload, *payload.values()):
            for holder in (entry, entry.get("info")) if isinstance(entry, dict) else ():
                if isinstance(holder, dict) and CLASS in _members(holder.get("config")):
                    yield holder


def _config(holder: dict[str, Json]) -> dict[str, str]:
    """Return the texts, numbers and booleans of a configuration, as texts."""
    plain = {name: value for name, value in _members(holder["config"]).items() if isinstance(value, str | int | float)}
    return {name: _plain(Payload(value)) for name, value in plain.items()}


def _members(config: Json) -> dict[str, Json]:
    """Return the settings of a configuration as they are; a pair without a name keeps its position as name."""
    if not isinstance(config, list):
        return config if isinstance(config, dict) else {}
    pairs = {f"[{at}]": pair for at, pair in enumerate(config)}
    named = {at: pair for at, pair in pairs.items() if isinstance(pair, dict) and isinstance(pair.get("config"), str)}
    return {
        **{pair["config"]: pair.get("value") for pair in named.values()},
        **{at: pair for at, pair in pairs.items() if at not in named},
    }


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
