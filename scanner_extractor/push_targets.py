"""The catalogs that lineage is pushed into: a row each, and what the module of a target offers.

A row names the attribute of a module, so that only the target in use is imported. Other packages add targets by entry
points of the group `scanner.push_targets`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pkgutil import resolve_name
from typing import Any, NamedTuple

from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.settings.push import PushSettings
from scanner_model.maturity import Proof, validated
from scanner_model.plugins import PUSH_TARGETS, Plugin, plugins


class TargetRow(NamedTuple):
    """A target: *attribute* is `module:attribute` of its PushTarget, *proof* how it was tested."""

    attribute: str
    proof: Proof


_VALIDATION = "docs/how-to/push.md"

TARGETS: Mapping[str, TargetRow] = {
    "datahub": TargetRow(
        "scanner_api.push.targets.datahub:TARGET",
        validated("DataHub", "the classes of acryl-datahub 1.7.0.17", _VALIDATION),
    ),
    "openmetadata": TargetRow(
        "scanner_api.push.targets.openmetadata:TARGET",
        validated("OpenMetadata", "the classes of openmetadata-ingestion 2.0.7.0", _VALIDATION),
    ),
    "unity": TargetRow("scanner_api.push.targets.unity:TARGET", Proof("Databricks")),
    "google": TargetRow("scanner_api.push.targets.google:TARGET", Proof("Google")),
    "glue": TargetRow(
        "scanner_api.push.targets.glue:TARGET",
        validated("AWS Glue", "moto 5.2.5", "tests/lab/test_lab_catalogs.py"),
    ),
    "datazone": TargetRow("scanner_api.push.targets.datazone:TARGET", Proof("Amazon DataZone")),
}
"""The targets of this project, by the name that commands and cluster.json use."""


def _unchanged(settings: PushSettings, _: Json) -> PushSettings:
    return settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PushTarget:
    """What the module of a target offers.

    *build* returns the `scanner_api.push.model.Target` of settings. *schema* are the JSON Schemas of the members that
    only this target has in cluster.json, and *needs* the members that it requires; *parse* adds the values of a valid
    item to settings. *address* returns the address of the API if an item has no `url`. *transport* returns what sends
    the requests if it is not plain HTTP, *login* a bearer token if `auth` names none.
    """

    build: Callable[[PushSettings], Any]
    schema: Mapping[str, Json] = field(default_factory=dict)
    needs: tuple[str, ...] = ("url",)
    parse: Callable[[PushSettings, Json], PushSettings] = _unchanged
    address: Callable[[Json], str] | None = None
    transport: Callable[[PushSettings], Transport] | None = None
    login: Callable[[], str] | None = None


def target_names() -> tuple[str, ...]:
    """Return the names of all targets, those of plug-ins last."""
    return (*TARGETS, *(name for name in sorted(plugins(PUSH_TARGETS)) if name not in TARGETS))


def target_plugin(name: str) -> Plugin | None:
    """Return the plug-in that has a target; None for one of this project."""
    return None if name in TARGETS else plugins(PUSH_TARGETS).get(name)


def push_target(name: str) -> PushTarget:
    """Import the target called *name*; raises KeyError for an unknown one, PluginError for one that fails."""
    if name in TARGETS:
        target: PushTarget = resolve_name(TARGETS[name].attribute)
        return target
    return _of_plugin(plugins(PUSH_TARGETS)[name])


def experience(name: str) -> str:
    """Return what a target was tried with, in words."""
    plugin = target_plugin(name)
    return f"of the package {plugin.package}" if plugin else TARGETS[name].proof.experience


@cache
def _of_plugin(plugin: Plugin) -> PushTarget:
    offered = plugin.load()
    if not isinstance(offered, PushTarget):
        raise plugin.error(f"is of type {type(offered).__name__}, not a PushTarget")
    guarded = plugin.guarded
    return replace(
        offered,
        build=guarded(offered.build),
        parse=guarded(offered.parse),
        address=offered.address and guarded(offered.address),
        transport=offered.transport and guarded(offered.transport),
        login=offered.login and guarded(offered.login),
    )
