"""Reads from the settings of brokers at which addresses others find them: one broker has one for each listener."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import ip_address

from scanner_extractor.sources.kafka_answers import ConfigAnswer
from scanner_model.brokers import broker_address
from scanner_model.errors import InputInvalid

_LISTENER = re.compile(r"\s*([^:/\s]+)://(\[[^\]]+\]|[^:/\[\]\s]+):(0*[1-9][0-9]*)\s*")


def listener_addresses(settings: Iterable[Mapping[str, ConfigAnswer]], told: Collection[str]) -> tuple[str, ...]:
    """Give the addresses of all listeners beyond *told*, in normal form, sorted; what is no address is left out.

    *settings* are those of the brokers that gave them, *told* the addresses of the metadata: of the one listener that
    was asked. A loopback address counts only where *told* has one too. Read are `advertised.listeners`, without them
    `listeners`, without `controller.listener.names` (Kafka's broker configurations).
    """
    found = {address for entries in settings for address in _addresses(entries)} - set(told)
    # Elsewhere, another machine's loopback would claim an address that every machine has.
    local = any(map(_is_loopback, told))
    return tuple(sorted(address for address in found if local or not _is_loopback(address)))


def _addresses(entries: Mapping[str, ConfigAnswer]) -> Iterator[str]:
    listeners = _value(entries, "advertised.listeners") or _value(entries, "listeners")
    controllers = {name.strip().lower() for name in _value(entries, "controller.listener.names").split(",")}
    for match in filter(None, map(_LISTENER.fullmatch, listeners.split(","))):
        name, host, port = match.groups()
        if name.lower() in controllers or _is_wildcard(host):
            continue
        try:
            yield broker_address(f"{host}:{port}")
        except InputInvalid:
            continue


def _value(entries: Mapping[str, ConfigAnswer], name: str) -> str:
    return (entries[name].value or "") if name in entries else ""


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_wildcard(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
