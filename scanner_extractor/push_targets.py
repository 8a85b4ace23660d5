"""The catalogs that lineage is pushed into, each imported when it is used; other packages add targets as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.settings.push import PushSettings
from scanner_extractor.systems import PUSH_TARGETS as TARGETS
from scanner_extractor.systems import TargetRow
from scanner_model.lazy_names import load
from scanner_model.plugins import PUSH_TARGETS, Plugin, own_plugins, plugins


def _unchanged(settings: PushSettings, _: Json) -> PushSettings:
    return settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PushTarget:
    """What the module of a target offers.

    *build* returns the `scanner_api.push.model.Target` of settings. *schema* are the JSON Schemas of the members that
    only this target has in cluster.json, which settings have as `options`, and *needs* the members that it requires;
    *parse* adds what else a valid item says. *address* returns the address of the API if an item has no `url`.
    *transport* returns what sends the requests if it is not plain HTTP, *login* a bearer token if `auth` names none.
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


def target_row(name: str) -> TargetRow | None:
    """Return the row of a target of this project, which a plug-in of its own imports; None for any other."""
    if name in TARGETS:
        return TARGETS[name]
    plugin = own_plugins(PUSH_TARGETS).get(name)
    return load(plugin) if plugin else None


def target_plugin(name: str) -> Plugin | None:
    """Return the plug-in of another package that has a target; None for one of this project."""
    return None if target_row(name) else plugins(PUSH_TARGETS).get(name)


def push_target(name: str) -> PushTarget:
    """Import the target called *name*; raises KeyError for an unknown one, PluginError for one that fails."""
    if row := target_row(name):
        target: PushTarget = load(row.attribute)
        return target
    return _of_plugin(plugins(PUSH_TARGETS)[name])


def experience(name: str) -> str:
    """Return what a target was tried with, in words."""
    row = target_row(name)
    return row.proof.experience if row else f"of the package {plugins(PUSH_TARGETS)[name].package}"


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
