"""`scanner push`: lineage into catalogs, with a plan before and a way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.command import Command, command
from scanner_cli.console import echo, echo_err, report_error
from scanner_cli.options import config_option, dictionary_option
from scanner_cli.output.render import Format, format_option, json_text, show
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.push.model import PushResult

_STEPS = ("action", "kind", "name")
_LISTED = 20
"""Refusals and skipped names that are written to stderr; JSON has all of them."""


class _Targets(Command):
    """The command with the list of targets in its help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each target, and what it was tried with."""
        del ctx
        with formatter.section("Targets"):
            formatter.write_dl([(name, library.experience(name)) for name in library.target_names()])


@command(cls=_Targets)
@click.argument("target")
@config_option
@click.option("--dry-run", is_flag=True, help="Write nothing: list what would be created, changed and removed.")
@click.option("--undo", "undone", type=int, metavar="RUN", help="Take back what this run wrote, and nothing else.")
@click.option("--explain", "node", metavar="NODE", help="Show how this topic or dataset is named in the catalog.")
@dictionary_option
@format_option(Format.TABLE, Format.JSON)
def push(
    target: str,
    files: Sequence[str],
    dry_run: bool,
    undone: int | None,
    node: str | None,
    dictionary: Dictionary,
    style: str,
) -> int:
    """Write the graph that `scanner dictionary dataflow` generated last into a catalog: datasets, jobs, column lineage.

    The member `push` of cluster.json names the catalog. Only what differs from the push before is sent, and only what
    a push wrote is changed or removed. Each push that writes has a number, by which --undo takes it back.

    \b
    Examples:
      scanner push datahub --config cluster.json --dry-run
      scanner push datahub --config cluster.json
      scanner push datahub --config cluster.json --undo 3
      scanner push openmetadata --config cluster.json --explain orders
      scanner push openmetadata --config cluster.json --dry-run --format json

    \b
    Exit status: 0 all was accepted; 1 nothing was; 2 no such target is configured; 3 some was refused, or not sent
    because the catalog became unreachable; 4 no graph was generated yet.
    """
    if node and undone is not None:
        raise InputInvalid("exclude each other", where="--explain, --undo", hint="leave one of them out")
    settings = library.push_settings(files, target)
    if node:
        explained = library.explain_push(dictionary, settings, node)
        row = {"name": explained.name, "identity": library.document(explained.row), "notes": list(explained.notes)}
        show([{**row, "notes": "; ".join(explained.notes)}], ("name", "notes"), style, document=row)
        return Exit.DONE
    if undone is None:
        result = library.push(dictionary, settings, dry_run=dry_run, notify=echo_err)
    else:
        result = library.undo_push(dictionary, settings, undone, dry_run=dry_run, notify=echo_err)
    _report(result, style, is_dry=dry_run, is_undo=undone is not None)
    return Exit.PARTIAL if result.is_partial else Exit.DONE


def _report(result: PushResult, style: str, *, is_dry: bool, is_undo: bool) -> None:
    if Format(style) is Format.JSON:
        echo(json_text(_document(result)))
    elif is_dry:
        show(_document(result)["steps"], _STEPS, style)
        for call in result.requests:
            echo(call.shown)
    if result.note:
        echo_err(f"{result.target}: {result.note}")
    for name, reason in result.skipped[:_LISTED]:
        echo_err(f"skipped: {name}: {reason}")
    for refusal in result.refused[:_LISTED]:
        echo_err(f"refused: {refusal.kind} {refusal.name}: {refusal.reason}")
    if result.stopped:
        report_error(result.stopped)
        echo_err("safe to re-run: what was accepted is not sent again")
    counts = ", ".join(f"{count} to {action}" if is_dry else f"{count} {action}d" for action, count in _counts(result))
    more = [f"{len(result.refused)} refused"] if result.refused else []
    more += [f"{len(result.skipped)} skipped"] if result.skipped else []
    run = f"run {result.run}: " if result.run and not is_undo else ""
    echo_err(run + ", ".join([counts, f"{result.unchanged} unchanged", *more]))


def _counts(result: PushResult) -> list[tuple[str, int]]:
    return [(str(action), count) for action, count in result.counts.items()]


def _document(result: PushResult) -> dict[str, Any]:
    return {
        "target": result.target,
        "run": result.run,
        **{f"{action}d": count for action, count in _counts(result)},
        "unchanged": result.unchanged,
        "steps": [{"action": str(step.action), "kind": step.kind, "name": step.name} for step in result.steps],
        "requests": [{"request": call.shown, "body": call.body} for call in result.requests],
        "refused": [
            {"kind": refusal.kind, "name": refusal.name, "reason": refusal.reason} for refusal in result.refused
        ],
        "skipped": [{"name": name, "reason": reason} for name, reason in result.skipped],
        "stopped": str(result.stopped) if result.stopped else None,
    }
