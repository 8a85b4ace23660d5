"""Servers that are killed in the middle of a scan and started again: nothing is lost, and the next scan is whole.

A proxy before each server kills it when scanner has sent a number of messages that a seed chose. `make lab-systems` has
the servers. The seconds are printed and compared with nothing: `tests/conformance/test_dead_source.py` checks the
settings that bound them.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from counting_proxy import Proxy

from scanner_api import open_dictionary, scan
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.reader import is_unassigned

pytestmark = pytest.mark.lab

RUNS = 5
SEED = 43
_EMPTY = (None, False, "", "[]", "{}")
_LAB = Path(__file__).with_name("lab.py")
_PATIENCE = 120
SYSTEMS = {
    "kafka-systems": "kafka",
    "confluent-registry": "schema_registry",
    "connect-systems": "connect",
    "ksqldb": "ksqldb",
}
"""The kind of source of each server, by the name of its row."""


class Scan(NamedTuple):
    """What a scan reports: each kind's status and seconds, counts of its changes, and the facts that are then known.

    *emptied* are the changes that took a value from a fact.
    """

    statuses: Mapping[str, str]
    seconds: Mapping[str, float]
    gone: int
    added: int
    stale: int
    facts: frozenset[tuple[str, int]]
    emptied: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return set(self.statuses.values()) == {"read"}


class Fault(NamedTuple):
    """A server killed *at* a message of a scan: what was known *before*, that scan, and scans until one is whole."""

    at: str
    before: frozenset[tuple[str, int]]
    during: Scan
    after: list[Scan]

    @property
    def lost(self) -> int:
        """Return how many facts of before are unknown after one of the scans, or have lost a value."""
        scans = (self.during, *self.after)
        emptied = {text for scan in scans for text in scan.emptied}
        return len(emptied) + len({fact for scan in scans for fact in self.before - scan.facts})

    @property
    def added(self) -> int:
        """Return how many facts the scans after the fault found that were not known: they replace others."""
        return sum(scan.added for scan in self.after)


class Estate:
    """The servers behind their proxies, and a dictionary."""

    def __init__(self, lab) -> None:
        told = lab.told["systems"]
        self.proxies = {
            "kafka-systems": Proxy(_port(told["proxied"]), _port(told["proxy"])),
            "confluent-registry": Proxy(_port(told["confluent"])),
            "connect-systems": Proxy(_port(told["connect"])),
            "ksqldb": Proxy(_port(told["ksqldb"])),
        }
        urls = {name: f"http://127.0.0.1:{proxy.port}" for name, proxy in self.proxies.items()}
        config = {
            "cluster": "faults",
            "brokers": [told["proxy"]],
            "kafka": {},
            "schema_registries": [{"type": "confluent", "url": urls["confluent-registry"]}],
            "connect": [{"name": "faults", "url": urls["connect-systems"]}],
            "ksqldb": [{"url": urls["ksqldb"]}],
        }
        self._config = lab.directory / "faults.json"
        self._config.write_text(json.dumps(config), "utf-8")
        self._file = lab.directory / "faults.db"
        self._broker = told["broker"]
        self._dictionary = open_dictionary(f"sqlite:///{self._file}", create=True)

    def scan(self) -> Scan:
        (report,) = scan([self._config], self._dictionary)
        changes = dict(report.changes)
        return Scan(
            {outcome.kind: str(outcome.status) for outcome in report.outcomes},
            {outcome.kind: outcome.seconds for outcome in report.outcomes},
            *(changes.get(action, 0) for action in ("gone", "added", "stale")),
            self._facts(),
            tuple(self._emptied()),
        )

    def _facts(self) -> frozenset[tuple[str, int]]:
        """Return the facts that are not marked as deleted: the name of the table, and the row.

        A member that the brokers gave up, after they restarted, leaves its group empty until it joins again: that its
        topics are not read meanwhile is the brokers' answer, no loss.
        """
        empty = "consumer_group_id IN (SELECT id FROM consumer_group WHERE state = 'EMPTY')"
        query = (
            "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'gone'"
        )
        with sqlite3.connect(self._file) as conn:
            tables = [name for (name,) in conn.execute(query)]
            return frozenset(
                (table, row)
                for table in tables
                for (row,) in conn.execute(
                    f"SELECT id FROM {table} WHERE gone IS NULL"
                    + (f" OR {empty}" if table == "consumer_group_topic" else "")
                )
            )

    def row(self, fact: tuple[str, int]) -> str:
        """Return the table and the values of a fact, for people."""
        table, row = fact
        with sqlite3.connect(self._file) as conn:
            return f"{table} {conn.execute(f'SELECT * FROM {table} WHERE id = ?', (row,)).fetchone()}"

    def _emptied(self) -> Iterator[str]:
        """Yield the facts that the newest scan took a value from."""
        newest = "scan_id = (SELECT max(id) FROM scan) AND action = 'changed'"
        with sqlite3.connect(self._file) as conn:
            changes = conn.execute(
                f"SELECT entity_kind, entity, before_json, after_json FROM change_log WHERE {newest}"
            )
            for kind, entity, before, after in changes:
                values = json.loads(before)
                if any(values[name] not in _EMPTY and value in _EMPTY for name, value in json.loads(after).items()):
                    yield f"{kind} {entity}: {before} -> {after}"

    def scans_until_whole(self) -> list[Scan]:
        """Scan until servers that have just started answer in full; the last scan is whole, or patience has ended.

        Members without an assignment are a state of the servers, which makes every scan partial: its end is waited for.
        """
        deadline = time.monotonic() + _PATIENCE
        while self._unassigned() and time.monotonic() < deadline:
            time.sleep(1)
        result = [self.scan()]
        while not result[-1].whole and time.monotonic() < deadline:
            time.sleep(2)
            result.append(self.scan())
        return result

    def _unassigned(self) -> bool:
        client = KafkaClient(KafkaSettings(brokers=(self._broker,)))
        groups, _ = client.groups()
        members = client.members([group.group_id for group in groups])
        waiting = (is_unassigned(group, members.answers.get(group.group_id)) for group in groups)
        return bool(members.failures) or any(waiting)


def _port(address: str) -> int:
    return int(urlsplit(address if "//" in address else f"//{address}").port or 0)


def _lab_does(command: str, name: str) -> None:
    subprocess.run([sys.executable, str(_LAB), command, name], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def estate(lab) -> Iterator[Estate]:
    """Put a proxy before each server, and scan once in full."""
    lab.needs(*SYSTEMS, "ksqldb-statements", "system-connectors")
    result = Estate(lab)
    for proxy in result.proxies.values():
        proxy.arm(0, lambda: None)
    *_, first = result.scans_until_whole()
    assert first.whole, first
    yield result
    for proxy in result.proxies.values():
        proxy.close()


@pytest.mark.parametrize("name", SYSTEMS)
def test_server_killed_and_restarted_in_the_middle_of_a_scan_loses_nothing(estate, name, capsys) -> None:
    """Whatever the scan had read by then, later scans have to agree with the one before the fault."""
    for proxy in estate.proxies.values():
        proxy.arm(0, lambda: None)
    *_, before = estate.scans_until_whole()
    assert before.whole, before.statuses
    proxy, random = estate.proxies[name], Random(f"{SEED}-{name}")
    messages = proxy.messages
    assert messages
    faults = []

    for _ in range(RUNS):
        at = messages
        while True:
            at = random.randint(1, at)
            restarts: list[subprocess.Popen[bytes]] = []
            proxy.arm(at, partial(_kill_and_restart, name, restarts))
            during = estate.scan()
            if proxy.messages >= at:  # else the network joined messages, so that this scan had fewer
                break
        assert proxy.acted.wait(_PATIENCE)
        for restart in restarts:
            assert restart.wait(_PATIENCE) == 0
        faults.append(Fault(f"{at} of {messages}", before.facts, during, estate.scans_until_whole()))
    _show(capsys, estate, name, faults)

    assert [fault.lost for fault in faults] == [0] * RUNS
    assert all(fault.after[-1].whole and not fault.added for fault in faults)


def _kill_and_restart(name: str, restarts: list[subprocess.Popen[bytes]]) -> None:
    _lab_does("kill", name)
    restarts.append(subprocess.Popen([sys.executable, str(_LAB), "serve", name], stdout=subprocess.DEVNULL))


@pytest.mark.parametrize("name", SYSTEMS)
def test_dead_server_is_unavailable_and_nothing_is_lost(estate, name, capsys) -> None:
    """A server that is down for the whole scan; what depends on it may be read in part."""
    for proxy in estate.proxies.values():
        proxy.arm(0, lambda: None)
    *_, before = estate.scans_until_whole()
    assert before.whole, before.statuses
    _lab_does("kill", name)
    try:
        during = estate.scan()
    finally:
        _lab_does("serve", name)
    fault = Fault("down", before.facts, during, estate.scans_until_whole())
    _show(capsys, estate, name, [fault])

    assert during.statuses[SYSTEMS[name]] == "unavailable"
    assert fault.lost == 0
    assert fault.after[-1].whole
    assert not fault.added


def _show(capsys: Any, estate: Estate, name: str, faults: list[Fault]) -> None:
    """Print each fault, and the sum of them: the figures of docs/testing.md."""
    kind = SYSTEMS[name]
    with capsys.disabled():
        sys.stdout.write(f"\n{name:<20} {'status':<12} seconds  stale  lost  whole again\n")
        for fault in faults:
            during = fault.during
            others = {other: status for other, status in during.statuses.items() if status != "read" and other != kind}
            sys.stdout.write(
                f"{fault.at:<20} {during.statuses[kind]:<12} {during.seconds[kind]:>7.1f}"
                f"  {during.stale:>5}  {fault.lost:>4}  at scan {len(fault.after)} {others or ''}\n"
            )
            for text in (text for scan in (during, *fault.after) for text in scan.emptied):
                sys.stdout.write(f"  emptied: {text}\n")
            lost = sorted({fact for scan in (during, *fault.after) for fact in fault.before - scan.facts})
            sys.stdout.writelines(f"  lost: {estate.row(fact)}\n" for fact in lost)
            if not fault.after[0].whole:
                sys.stdout.write(f"  not whole at scan 1: {dict(fault.after[0].statuses)}\n")
        whole = sum(len(fault.after) == 1 and fault.after[0].whole for fault in faults)
        longest = max(seconds for fault in faults for seconds in fault.during.seconds.values())
        total = sum(fault.lost for fault in faults)
        sys.stdout.write(f"| {name} | {len(faults)} | {total} | {whole} | {longest:.1f} s |\n")
