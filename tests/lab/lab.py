"""The lab's door: `lab.py start | seed | foreign | clients | systems | status | test [PYTEST OPTION …] | stop`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import apicurio_rows
import artifacts
import connectors
import credentials
import fake_rows
import flink_rows
import foreign_rows
import installation_rows
import kafka_rows
import places
import postgres_rows
import processes
import program_rows
import restart_rows
import spark_rows
import system_rows
from bring_up import NotUp, Result, bring_up, serve
from rows import Server, Step

ROWS: tuple[Server | Step, ...] = (
    *kafka_rows.ROWS,
    *apicurio_rows.ROWS,
    *installation_rows.ROWS,
    *postgres_rows.ROWS,
    *connectors.ROWS,
    *flink_rows.ROWS,
    *spark_rows.ROWS,
    *fake_rows.ROWS,
)

BESIDE = (*foreign_rows.ROWS, *program_rows.ROWS, *restart_rows.ROWS, *system_rows.ROWS)
"""What is started beside the installation, each part by a command of its own or by a test."""


def main(arguments: Sequence[str]) -> int:
    """Do what the first argument says; 0 where everything that can be had is up."""
    match arguments:
        case ["start" | "seed"]:
            return _start()
        case ["foreign"]:
            return _foreign()
        case ["clients"]:
            return _clients()
        case ["systems"]:
            return _systems()
        case ["status"]:
            return _status()
        case ["test", *options]:
            return _test(options)
        case ["kill", name]:
            processes.kill(_server(name).name)
            return 0
        case ["end", name]:
            processes.end(_server(name).name)
            return 0
        case ["serve", name]:
            return _serve(_server(name))
        case ["stop"]:
            return _stop()
    sys.stderr.write(f"{__doc__}\n")
    return 2


def _start() -> int:
    """Bring everything up that is not up yet; the steps are done again, which changes nothing."""
    _own_state()
    began = time.monotonic()
    absent = {**artifacts.bring(artifacts.INSTALLATION), **apicurio_rows.absent()}
    fetched = time.monotonic() - began
    results = bring_up(ROWS, absent)
    _write_lab_file(results)
    _table(results)
    sys.stdout.write(
        f"\nfetched in {fetched:.0f} s, up in {time.monotonic() - began - fetched:.0f} s; {places.STATE}\n"
    )
    return int(any(result.state == "failed" for result in results.values()))


def _serve(server: Server) -> int:
    try:
        serve(server)
    except NotUp as error:
        sys.stderr.write(f"lab: {server.name} is not up: {error}\n")
        return 1
    return 0


def _foreign() -> int:
    """Start a consumer of lineage events beside the running installation, which stays as it is."""
    reported = _told()
    if not reported["rows"]:
        return _nothing_is_up()
    began = time.monotonic()
    results = bring_up(foreign_rows.ROWS, artifacts.bring(artifacts.FOREIGN))
    reported["rows"] |= {name: result.state for name, result in results.items()}
    reported["rentgen"] = {"url": places.RENTGEN_URL, "broker": places.LINEAGE_BROKER, "topic": foreign_rows.TOPIC}
    _keep(reported)
    _table(results)
    sys.stdout.write(f"\nup in {time.monotonic() - began:.0f} s; {places.STATE}\n")
    return int(any(result.state == "failed" for result in results.values()))


def _clients() -> int:
    """Start brokers with rules of access, clients with metrics, and Prometheus: an installation of their own."""
    _own_state()
    began = time.monotonic()
    results = bring_up(program_rows.ROWS, {**artifacts.bring(artifacts.CLIENTS), **program_rows.absent()})
    addresses = {"clients": program_rows.addresses()}
    return _beside(results, program_rows.environment(), addresses, time.monotonic() - began)


def _systems() -> int:
    """Start what can be had of other makers' servers, beside the installation or alone, and say what cannot."""
    _own_state()
    began = time.monotonic()
    results = dict(bring_up(system_rows.ROWS, artifacts.bring(artifacts.SYSTEMS)))
    results |= {name: Result(state="absent", note=reason) for name, reason in system_rows.NOT_TO_BE_HAD.items()}
    addresses = {"systems": system_rows.addresses()}
    return _beside(results, system_rows.environment(), addresses, time.monotonic() - began)


def _beside(
    results: Mapping[str, Result], environment: Mapping[str, str], addresses: Mapping[str, Any], seconds: float
) -> int:
    """Add rows to the lab's file, with the variables and addresses that their tests take."""
    reported = _told()
    reported["rows"] |= {name: result.state for name, result in results.items()}
    reported["environment"] = reported.get("environment", {}) | environment
    _keep(reported | addresses)
    _table(results)
    sys.stdout.write(f"\nup in {seconds:.0f} s; {places.STATE}\n")
    return int(any(result.state == "failed" for result in results.values()))


def _own_state() -> None:
    """Build the directory of the installation, and refuse one that somebody else made."""
    places.STATE.mkdir(mode=0o755, exist_ok=True, parents=True)
    if places.STATE.stat().st_uid != os.getuid():
        raise SystemExit(f"lab: {places.STATE} belongs to somebody else: set SCANNER_LAB_STATE")


def _write_lab_file(results: Mapping[str, Result]) -> None:
    members = {
        "rows": {name: result.state for name, result in results.items()},
        "brokers": {"plaintext": places.PLAINTEXT, "external": places.EXTERNAL, "sasl": places.SASL},
        "registry": places.REGISTRY_URL,
        "connect": places.CONNECT_URL,
        "flink": places.FLINK_URL,
        "postgres": {name: postgres_rows.url(name) for name in postgres_rows.DATABASES},
        "events": str(places.EVENTS),
        "flink_events": str(places.FLINK_EVENTS),
        "state": str(places.STATE),
        "cache": str(places.CACHE),
        "environment": _environment(),
    }
    _keep(members)


def _keep(members: Mapping[str, Any]) -> None:
    places.LAB_FILE.touch(mode=0o600)
    places.LAB_FILE.write_text(json.dumps(members, indent=1, sort_keys=True), "utf-8")


def _environment() -> dict[str, str]:
    """Return the variables that cluster.json and the tests take."""
    return {
        "SCANNER_LAB_KAFKA": places.PLAINTEXT,
        "SCANNER_LAB_APICURIO": f"http://{places.HOST}:{places.APICURIO}",
        "SCANNER_H2_JAR": str(next((places.CACHE / "h2").glob("h2-*.jar"), "")),
        "SCANNER_LAB_USER": credentials.USER,
        "SCANNER_LAB_PASSWORD": credentials.password("kafka"),
        "SCANNER_LAB_LIMITED_USER": credentials.LIMITED,
        "SCANNER_LAB_LIMITED_PASSWORD": credentials.password("limited"),
        "SCANNER_LAB_CA": str(credentials.authority()),
    }


def _table(results: Mapping[str, Result]) -> None:
    ports = {row.name: row.port for row in (*ROWS, *BESIDE) if isinstance(row, Server)}
    sys.stdout.write(f"{'name':<18} {'port':>5}  {'state':<9} {'seconds':>7}  note\n")
    for name, result in results.items():
        port = ports.get(name) or "-"
        sys.stdout.write(f"{name:<18} {port:>5}  {result.state:<9} {result.seconds:>7.1f}  {result.note}\n")


def _status() -> int:
    rows = (*ROWS, *(row for row in BESIDE if processes.running(row.name)))
    servers = [row for row in rows if isinstance(row, Server)]
    results = {row.name: Result(state=_state(row), note=str(places.log(row.name))) for row in servers}
    _table(results)
    return int(any(not result.good for result in results.values()))


def _state(server: Server) -> str:
    if not processes.running(server.name):
        return "down"
    return "up" if server.ready() else "silent"


def _test(options: Sequence[str]) -> int:
    reported = _told()
    if names := [name for name, state in reported["rows"].items() if state == "up" and not processes.running(name)]:
        sys.stderr.write(f"lab: ended since `make lab`: {', '.join(names)}; run it again\n")
        return 1
    if not reported["rows"]:
        return _nothing_is_up()
    environment = {**os.environ, **reported["environment"], "SCANNER_LAB": str(places.LAB_FILE)}
    command = [sys.executable, "-m", "pytest", "-m", "lab", str(places.TREE.parent), *options]
    return subprocess.run(command, env=environment, cwd=places.TREE.parents[1], check=False).returncode


def _told() -> Any:
    """Read the lab's file; without rows where there is none."""
    return json.loads(places.LAB_FILE.read_text("utf-8")) if places.LAB_FILE.is_file() else {"rows": {}}


def _nothing_is_up() -> int:
    sys.stderr.write("lab: nothing is up: run `make lab` first\n")
    return 1


def _server(name: str) -> Server:
    """Find a server by its name; ends the program where there is none."""
    for row in (*ROWS, *BESIDE):
        if isinstance(row, Server) and row.name == name:
            return row
    raise SystemExit(f"lab: no server is called {name}")


def _stop() -> int:
    stopped = processes.stop_all()
    shutil.rmtree(places.STATE, ignore_errors=True)
    sys.stdout.write(f"stopped: {', '.join(stopped) or 'nothing ran'}; removed {places.STATE}\n")
    return int(places.STATE.exists())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
