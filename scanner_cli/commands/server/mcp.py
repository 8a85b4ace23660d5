"""`scanner mcp`: the dictionary for an AI assistant, on standard input and output."""

from __future__ import annotations

import click

from scanner_api.dictionary import Dictionary
from scanner_cli.options import dictionary_option
from scanner_cli.usage_errors import Exit
from scanner_server import serve_mcp


@click.command()
@click.option(
    "--token-limit",
    "budget",
    type=click.IntRange(500, 200_000),
    default=8_000,
    show_default=True,
    metavar="N",
    help="How many tokens an answer may have; it says what was left out.",
)
@dictionary_option
def mcp(budget: int, dictionary: Dictionary) -> int:
    """Answer an AI assistant's questions over MCP, on standard input and output.

    The assistant's host starts it; docs/mcp.md has the configuration of several. Its tools read the dictionary only.

    \b
    Example:
      claude mcp add scanner -- scanner mcp --dictionary /data/dictionary.db
    """
    serve_mcp(dictionary, budget)
    return Exit.DONE
