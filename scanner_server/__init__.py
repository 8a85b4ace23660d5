"""The server: a JSON API, the page, MCP, OpenLineage intake and metrics over `scanner_api`; extra `server`.

The libraries of the extra are imported when the server starts, so that other commands do not need them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify
from scanner_api.questions.names import state as read_state
from scanner_model.errors import DictionaryUnusable
from scanner_model.plugins import require
from scanner_server.options import ServerOptions

if TYPE_CHECKING:
    from scanner_server.intake import Intake
    from scanner_server.options import ScanStatus

__all__ = ["ServerOptions", "listen", "serve", "serve_editor", "serve_mcp"]


def serve(
    dictionary: Dictionary,
    options: ServerOptions,
    *,
    notify: Notify,
    intake: Intake | None = None,
    scans: ScanStatus | None = None,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Serve *dictionary* until SIGINT or SIGTERM, with what *intake* receives and the status of *scans*.

    A dictionary that is missing or unreadable does not fail: a scan may create it meanwhile; *notify* gets it at once.
    *ready* is called with the address when the server listens. Raises InputInvalid where the extra is not installed, or
    the address or the certificate cannot be used.
    """
    app = _module("app")
    try:
        read_state(dictionary)
    except DictionaryUnusable as error:
        notify(f"note: {error}")
    served = app.application(dictionary, options, app.Parts(intake=intake, scans=scans))

    def listening(address: str) -> None:
        notify(f"serving {dictionary.shown} at {address}")
        if ready:
            ready(address)

    _module("running").run(served, options, listening)


def listen(intake: Intake, options: ServerOptions, *, notify: Notify) -> None:
    """Receive OpenLineage events (`POST /api/v1/lineage`) with *intake* until SIGINT or SIGTERM.

    Raises InputInvalid as `serve`.
    """
    served = _module("app").listener_application(intake, options)
    _module("running").run(served, options, lambda address: notify(f"listening at {address}/api/v1/lineage"))


def serve_mcp(dictionary: Dictionary, budget: int) -> None:
    """Serve MCP over standard input and output until the input ends; *budget* is the tokens of an answer.

    Raises InputInvalid where the extra is not installed, DictionaryUnusable if it does not exist.
    """
    _module("mcp_server").run_stdio(dictionary, budget)


def serve_editor(dictionary: Dictionary | None) -> bool:
    """Serve the Language Server Protocol until the editor ends; return whether it ended as the protocol demands.

    *dictionary* is one of what runs. Raises InputInvalid where the extra `lsp` is not installed.
    """
    what = "the language server needs libraries that are not installed"
    server = require("scanner_server.language_server", what, extra="lsp")
    return bool(server.run_stdio(dictionary) == 0)


def _module(name: str) -> Any:  # noqa: ANN401 - a module
    return require(f"scanner_server.{name}", "the server needs libraries that are not installed", extra="server")
