"""Groups of commands that load a command when it is called, and suggest names for unknown ones."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from scanner_cli.command import Command
from scanner_cli.console import echo_err, silence_stdout
from scanner_cli.usage_errors import Exit
from scanner_model.documents.json_positions import closest_match

_SENTENCE = 1000

Commands = Mapping[str, tuple[str, str]]
"""Command name → (`module:attribute` under scanner_cli.commands, one line of help), in the order of the help.

Without a module the attribute is a question, from which the command derives.
"""


class Group(click.Group):
    """A group that prints its help without a command, and suggests a name for an unknown command."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options before the command's name."""
        if not args and not ctx.resilient_parsing:
            echo_err(ctx.get_help(), lines=True)
            ctx.exit(Exit.INPUT_INVALID)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that *args* begin with."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            hint = (
                self.meaning(name) or closest_match(name, self.list_commands(ctx)) or f"see `{ctx.command_path} --help`"
            )
            raise click.UsageError(f"there is no command {name!r} ({hint})", ctx)
        return super().resolve_command(ctx, args)

    def meaning(self, name: str) -> str:  # noqa: ARG002 - groups with a table of meanings use it
        """Return a hint for a word that is not a command but means one; empty if it is not known."""
        return ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_SENTENCE)) for name, command in commands if command])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a reader that closes its pipe early (`| head`) is not a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence_stdout()
            return None
        except click.UsageError as error:
            # Click's parser does not attach the command to the error.
            name = ctx.invoked_subcommand or ""
            if error.ctx is None and (command := self.get_command(ctx, name)):
                error.ctx = click.Context(command, info_name=name, parent=ctx)
            raise


class LazyGroup(Group):
    """A group whose commands are imported when they are called, so that its help stays fast."""

    def __init__(
        self,
        *args: object,
        sections: Mapping[str, Commands],
        unlisted: Commands | None = None,
        aliases: Mapping[str, str] | None = None,
        meanings: Mapping[str, str] | None = None,
        **settings: object,
    ) -> None:
        """Create the group; *aliases* map former names, *meanings* words that people try, to the words of a command."""
        super().__init__(*args, **settings)  # type: ignore[arg-type]
        self._sections = sections
        self._aliases = aliases or {}
        self._meanings = meanings or {}
        listed = {name: row for commands in sections.values() for name, row in commands.items()}
        self._known = {**listed, **(unlisted or {})}

    def meaning(self, name: str) -> str:
        """Return the command that *name* means, as a hint."""
        return f"use `scanner {self._meanings[name]}`" if name in self._meanings else ""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the commands in the order of the help, unlisted ones last."""
        return list(self._known)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that *args* begin with; a former name, of one word or two, is replaced first."""
        for count in (2, 1):
            words = self._aliases.get(" ".join(args[:count]))
            if words:
                return super().resolve_command(ctx, [*words.split(), *args[count:]])
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import the command *cmd_name*; None if unknown."""
        if cmd_name not in self._known:
            return None
        module, _, name = self._known[cmd_name][0].partition(":")
        if not module:
            derived: click.Command = importlib.import_module("scanner_cli.questions").question_command(name)
            return derived
        command: click.Command = getattr(importlib.import_module(f"scanner_cli.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the sections of commands without importing any of them."""
        width = max(map(len, self._known))
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, (_, text) in commands.items()])
