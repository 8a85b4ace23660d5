"""`scanner lsp`: what a change breaks, and who reads a field, in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.options import dictionary_option
from scanner_cli.usage_errors import Exit

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary


@command()
@click.option("--stdio", is_flag=True, help="Accepted for editors that always pass it.")
@dictionary_option
def lsp(stdio: bool, dictionary: Dictionary) -> int:  # noqa: ARG001 - standard input and output are the only way
    """Show an editor what a change breaks, over the Language Server Protocol on standard input and output.

    The editor starts it in the repository. scanner checks the open files against HEAD, and against the dictionary if
    there is one. It shows who reads the field or topic below the cursor, and finds its writers and readers in the
    files. docs/how-to/editor.md has the configuration of several editors. Needs the extra `lsp`.

    \b
    Examples:
      scanner lsp
      scanner lsp --dictionary /data/dictionary.db
    """
    return Exit.DONE if library.serve_editor(dictionary) else Exit.FAILED
