"""`scanner completion`: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from scanner_cli.command import command
from scanner_cli.console import echo
from scanner_cli.shells import SHELLS, VARIABLE, register
from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import InputInvalid


@command()
@click.argument("shell", metavar="|".join(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    It completes in the next shell that you start; `scanner` must be on the PATH.

    \b
    Examples:
      scanner completion bash >> ~/.bashrc
      scanner completion zsh >> ~/.zshrc
      scanner completion fish > ~/.config/fish/completions/scanner.fish
      scanner completion powershell >> $PROFILE
    """
    if shell not in SHELLS:
        hint = closest_match(shell, SHELLS) or f"one of {', '.join(SHELLS)}"
        raise InputInvalid(f"{shell!r} is not a supported shell", where="scanner completion", hint=hint)
    register()
    of_shell = get_completion_class(shell)
    assert of_shell is not None
    root = click.get_current_context().find_root().command
    echo(of_shell(root, {}, "scanner", VARIABLE).source())
