"""Plug-ins of other packages: one loader for every entry-point group, whose errors name package and entry point.

Nothing of a package is imported until its plug-in is used. A name that this project has itself is never replaced.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, NoReturn, ParamSpec, TextIO, TypeVar, cast

from scanner_model.errors import InputInvalid, Problem, ScannerError
from scanner_model.redaction import mask_text


def require(module: str, what: str, *, extra: str, where: str = "") -> Any:  # noqa: ANN401 - a module has no type
    """Import *module*, a library of *extra* or a module of ours that imports one.

    Raises InputInvalid with *what* and *where*, and the command that installs *extra*, where a library is missing.
    """
    try:
        return import_module(module)
    except ImportError as error:
        hint = f"pip install 'kafka-lineage-scanner[{extra}]'"
        raise InputInvalid(what, where=where, hint=hint) from error


NAMING_STRATEGIES = "scanner.naming_strategies"
SCHEMA_FORMATS = "scanner.schema_formats"
REGISTRIES = "scanner.registries"
CATALOGS = "scanner.catalogs"
DATABASES = "scanner.databases"
CONNECTORS = "scanner.connectors"
PUSH_TARGETS = "scanner.push_targets"

GROUPS = (NAMING_STRATEGIES, SCHEMA_FORMATS, REGISTRIES, CATALOGS, DATABASES, CONNECTORS, PUSH_TARGETS)
"""The entry-point groups that are read."""

_OWN = "kafka-lineage-scanner"
"""This distribution: systems that few use are its own plug-ins."""

_FAILURES = (Exception, SystemExit)
"""What counts as the failure of a plug-in: it may not end the program either, least of all with status 0."""

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class PluginError(InputInvalid):
    """Raised when a plug-in cannot be loaded, or fails: its author mends it, or the package is removed."""

    @property
    def problem(self) -> Problem:
        """Return the error as a problem located at the plug-in."""
        return Problem(self.where, self.what, self.hint)


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package; *name* is what users write, *value* is `module:attribute`."""

    group: str
    name: str
    value: str
    package: str
    version: str

    @property
    def where(self) -> str:
        """Return package and entry point as problems locate them."""
        return f"{self.package} {self.group}:{self.name}"

    def load(self) -> Any:  # noqa: ANN401  what the group requires, which its user checks
        """Import the plug-in and return what its entry point names; raises PluginError for whatever goes wrong."""
        try:
            with printing_to_stderr():
                return EntryPoint(self.name, self.value, self.group).load()
        except _FAILURES as error:  # code of others runs here
            raise self.error(f"cannot be loaded from {self.value}: {_reason(error)}") from None

    def load_callable(self) -> Callable[..., Any]:
        """Load a plug-in that has to be a function; its errors become PluginError. Raises PluginError."""
        function = self.load()
        if not callable(function):
            what = f"cannot be loaded from {self.value}: it is of type {type(function).__name__}, and no function"
            raise self.error(what)
        return self.guarded(function)

    def load_or_raise_later(self) -> Callable[..., Any]:
        """Load the function of the plug-in; where that fails, return one whose every call raises the PluginError."""
        try:
            return self.load_callable()
        except PluginError as error:
            failure = error

        def fail(*_: object, **__: object) -> NoReturn:
            raise failure.with_traceback(None)  # else each call adds to the traceback of the same error

        return fail

    def guarded(self, function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
        """Return *function* with its exceptions converted to PluginError, as `errors` does; it prints to stderr."""

        @wraps(function)
        def call(*args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
            with self.running():
                return function(*args, **kwargs)

        return call

    @contextmanager
    def running(self) -> Iterator[None]:
        """Guard a block that calls the plug-in as `guarded` does a function."""
        with self.errors(), printing_to_stderr():
            yield

    def iterate(self, values: Callable[[], Iterable[_Result]]) -> Iterator[_Result]:
        """Yield what *values* returns, guarded as the functions of the plug-in are."""
        iterator = self.guarded(lambda: iter(values()))()
        end = object()
        while (value := self.guarded(lambda: next(iterator, end))()) is not end:
            yield cast("_Result", value)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert what the plug-in raises to PluginError; errors of ours pass. Secrets in either are masked."""
        try:
            yield
        except ScannerError as error:
            raise _masked(error) from None
        except _FAILURES as error:  # code of others ran here
            raise self.error(f"failed: {_reason(error)}") from None  # a log would show the secrets of the cause

    def error(self, what: str) -> PluginError:
        """Return the error of this plug-in."""
        hint = f"fix, update or uninstall the package {self.package}"
        return PluginError(f"the plug-in {self.name!r} of {self.group} {what}", where=self.where, hint=hint)


def plugins(group: str) -> Mapping[str, Plugin]:
    """Return the plug-ins of a *group* by name; if packages share one, this project's or the first on the path."""
    return _plugins(group, tuple(sys.path))


def own_plugins(group: str) -> Mapping[str, str]:
    """Return the plug-ins of this distribution in a *group* by name, as `module:attribute`."""
    return {name: plugin.value for name, plugin in sorted(plugins(group).items()) if plugin.package == _OWN}


def installed_plugins() -> Iterator[Plugin]:
    """Yield the plug-ins of other packages, by group and name."""
    for group in GROUPS:
        yield from (plugin for _, plugin in sorted(plugins(group).items()) if plugin.package != _OWN)


@cache
def _plugins(group: str, path: tuple[str, ...]) -> Mapping[str, Plugin]:
    plugins: dict[str, Plugin] = {}
    for entry in _selection(path)(group=group):
        package, version = (entry.dist.name, entry.dist.version) if entry.dist else ("an unknown package", "")
        if entry.name not in plugins or package == _OWN:
            plugins[entry.name] = Plugin(group, entry.name, entry.value, package, version)
    return plugins


@cache
def _selection(_path: tuple[str, ...]) -> Callable[..., EntryPoints]:
    """Return the function that selects entry points: reading them opens a file of every installed package."""
    return entry_points().select


def _reason(error: BaseException) -> str:
    """Return class and message of an error, secrets masked."""
    try:
        return mask_text(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - `__str__` is code of the plug-in, too
        return type(error).__name__


def _masked(error: ScannerError) -> ScannerError:
    """Mask the secrets in an error of ours that a plug-in raised."""
    error.what, error.where, error.hint = map(mask_text, (error.what, error.where, error.hint))
    error.args = (error.what,)
    if isinstance(error, InputInvalid):
        error.problems = tuple(Problem(*map(mask_text, (p.where, p.what, p.hint))) for p in error.problems)
    return error


_is_plugin: ContextVar[bool] = ContextVar("is_plugin", default=False)
_divert_lock = threading.Lock()


class _Stdout:
    """Standard output that leads to standard error while a plug-in runs in the same thread."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a stream has
        return getattr(sys.stderr if _is_plugin.get() else self._stream, name)


@contextmanager
def printing_to_stderr() -> Iterator[None]:
    """Send what this thread prints to stderr: stdout is the command's result, such as JSON, or the protocol of MCP."""
    with _divert_lock:
        if not isinstance(sys.stdout, _Stdout):
            sys.stdout = cast("TextIO", _Stdout(sys.stdout))
    token = _is_plugin.set(True)
    try:
        yield
    finally:
        _is_plugin.reset(token)
