"""Whether each source can be reached and may be read, for `scanner check`; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scanner_extractor.discovery.expansion import expanded
from scanner_extractor.http.messages import Transport
from scanner_extractor.probes import CheckResult, Probe, State, run_probes
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.source_kinds import DISCOVERY, SOURCE_KINDS
from scanner_extractor.settings.cluster import KafkaSettings, Settings
from scanner_extractor.settings.confluent_cloud import Lacking
from scanner_extractor.sources.confluent_cloud.probes import CloudFound, cloud_probes
from scanner_model.names import SourceId
from scanner_model.plugins import Plugin, installed_plugins

__all__ = ["CheckResult", "State", "check", "check_plugins"]


def check(
    settings: Settings, *, probe: Callable[[KafkaSettings], str], exchange: Transport | None = None
) -> Iterator[CheckResult]:
    """Try every source, a few probes each, in the order in which a scan reads them; then every installed plug-in.

    *probe* requests the brokers' metadata and reports it in a few words; *exchange* stands in for the network. Raises
    no ScannerError, each is a result. The sources of a cluster of Confluent Cloud are found first.
    """
    connections = Connections(probe=probe, transport=exchange)
    discovered = CloudFound()
    if cloud := settings.cloud:
        with connections.http(cloud.http, cloud.source) as http:
            yield from run_probes(cloud.source, cloud_probes(cloud, http, discovered))
        settings = expanded(settings, cloud, discovered.organization) if discovered.organization else settings
    yield from (_lacking(lacking) for lacking in settings.lacking)
    for kind in SOURCE_KINDS:
        for source in kind.sources(settings) if kind.phase != DISCOVERY else ():
            yield from run_probes(source.source, kind.check(source, connections))
    yield from check_plugins()


def check_plugins() -> Iterator[CheckResult]:
    """Try to load every installed plug-in."""
    for plugin in installed_plugins():
        yield from run_probes(SourceId(f"plugin:{plugin.package}"), [_plugin_probe(plugin)])


def _plugin_probe(plugin: Plugin) -> Probe:
    def load() -> str:
        plugin.load()
        return f"{plugin.package} {plugin.version}".strip()

    return Probe(f"load {plugin.group}:{plugin.name}", load)


def _lacking(lacking: Lacking) -> CheckResult:
    return CheckResult(
        source=lacking.source, tried="look for a key", state=State.REFUSED, detail=lacking.what, hint=lacking.hint
    )
