"""The types of one kind of source, as `type` in cluster.json names them: ours in a table, others' as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scanner_extractor.probes import Probe
from scanner_extractor.results import CatalogResult, Progress, Reading, RegistryResult
from scanner_model.documents.schema_errors import SchemaError
from scanner_model.lazy_names import LazyTable, load
from scanner_model.maturity import Proof
from scanner_model.plugins import Plugin, PluginError, own_plugins, plugins

if TYPE_CHECKING:
    from scanner_extractor.http.client import Http
    from scanner_extractor.http.messages import Json, Transport

S = TypeVar("S")


def _plain_http(_: object) -> Transport | None:
    return None


def _as_is(options: Json) -> object:
    return options


def _nothing(_: object, __: Http) -> Iterable[Probe]:
    return ()


def _url(_: Json, url: str) -> str:
    return url


@dataclass(frozen=True, kw_only=True)  # without slots, which a call of an alias such as RegistryType would break on
class SourceType(Generic[S]):
    """One type of source with settings S, read over HTTP.

    *read* reads everything that the source has, and raises ScannerError only where nothing of it can be read; a
    plug-in's may return a RegistryResult or CatalogResult instead of a Reading. *check*
    yields what `scanner doctor` tries: what a scan cannot do without. *transport* returns what sends the requests of a
    source that is not reached over plain HTTP, None for one that is. *schema* is the JSON Schema of its own settings in
    cluster.json, None without any: a plug-in has them in the member `options`, a type of ours as members of the source.
    *parse* converts a plug-in's valid options to what the functions find as `settings.options`. *proofs* is how each of
    its systems was tested; may be empty for a plug-in.

    *naming* lists the naming strategies that the serialisers of a plug-in's registry offer, the most common first.

    Of a type of ours, *address* returns the address for valid settings if the source has no `url`, and *place* what
    tells the source apart from others of its type, from settings and address. *limit* is the usual rate limit.
    """

    read: Callable[[S, Http, Progress], Reading | RegistryResult | CatalogResult]
    check: Callable[[S, Http], Iterable[Probe]] = _nothing
    transport: Callable[[S], Transport | None] = _plain_http
    schema: Mapping[str, Json] | None = None
    parse: Callable[[Json], object] = _as_is
    proofs: tuple[Proof, ...] = ()
    naming: tuple[str, ...] = ()
    address: Callable[[Json], str] | None = None
    place: Callable[[Json, str], str] = _url
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class SourceTypes(Generic[S]):
    """The types of one kind of source by name: *built_in* ones, and plug-ins of the entry-point *group*.

    A plug-in is a SourceType, or only its `read`; it does not replace one of ours, and is imported when it is used.
    """

    built_in: Mapping[str, str]
    group: str

    @property
    def own(self) -> Mapping[str, SourceType[S]]:
        """Return the types of this project: built-in ones, and its own plug-ins."""
        return LazyTable({**self.built_in, **own_plugins(self.group)})

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in plugins(self.group)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.own, *plugins(self.group))))

    def __getitem__(self, name: str) -> SourceType[S]:
        """Return the type called *name*; raises KeyError. A plug-in that cannot be loaded is a type that says so."""
        if name in self.own:
            return self.own[name]
        plugin = plugins(self.group)[name]
        try:
            return self._loaded(plugin)
        except PluginError as error:
            return _broken_type(error)

    def option_errors(self, name: str, options: Json) -> Iterator[SchemaError]:
        """Validate the *options* of the type called *name* by its own JSON Schema; raises KeyError and PluginError."""
        schema, plugin = self[name].schema or {}, plugins(self.group)[name]
        with plugin.errors():
            yield from load("jsonschema:Draft202012Validator")(schema).iter_errors(options)

    def _loaded(self, plugin: Plugin) -> SourceType[S]:
        offered = plugin.load()
        if not isinstance(offered, SourceType):
            offered = SourceType(read=plugin.load_callable())
        parsed = _parsed(plugin, offered)
        return replace(
            offered,
            read=lambda settings, http, progress: _result_of(
                plugin, plugin.guarded(offered.read)(parsed(settings), http, progress)
            ),
            check=_guarded_check(plugin, lambda settings, http: offered.check(parsed(settings), http)),
            transport=lambda settings: plugin.guarded(offered.transport)(parsed(settings)),
        )


def _result_of(plugin: Plugin, result: object) -> Reading | RegistryResult | CatalogResult:
    """Return what a plug-in returned; raises PluginError for another type."""
    if not isinstance(result, (Reading, RegistryResult, CatalogResult)):
        raise plugin.error(f"returned {type(result).__name__}, and no RegistryResult, CatalogResult or Reading")
    return result


def _parsed(plugin: Plugin, offered: SourceType[Any]) -> Callable[[Any], Any]:
    """Return a function that replaces the `options` of settings by what the plug-in's `parse` makes of them."""

    def parsed(settings: Any) -> Any:  # noqa: ANN401  settings of a registry or of a catalog
        if offered.schema is None:
            return settings
        return replace(settings, options=plugin.guarded(offered.parse)(settings.options))

    return parsed


def _guarded_check(
    plugin: Plugin, check: Callable[[S, Http], Iterable[Probe]]
) -> Callable[[S, Http], Sequence[Probe] | Iterator[Probe]]:
    def probes(settings: S, http: Http) -> Iterator[Probe]:
        yield Probe("load the plug-in", lambda: f"{plugin.package} {plugin.version}")
        try:
            for probe in plugin.iterate(lambda: check(settings, http)):
                yield replace(probe, run=plugin.guarded(probe.run))
        except PluginError as error:
            yield _failing_probe(error)

    return probes


def _broken_type(error: PluginError) -> SourceType[S]:
    """Return the type of a plug-in that cannot be loaded: reading and checking it raise *error*, any options pass."""

    def read(_: S, __: Http, ___: Progress) -> Reading:
        raise error

    return SourceType(read=read, check=lambda _, __: (_failing_probe(error),), schema={})


def _failing_probe(error: PluginError) -> Probe:
    def fail() -> str:
        raise error

    return Probe("load the plug-in", fail)
