"""`scanner tag`: decide whether a column has a tag, in the cluster.json that the next scan reads."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo
from scanner_cli.options import cluster_files, dictionary_option
from scanner_model.errors import InputInvalid
from scanner_model.tag_decisions import Decision

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary


@command()
@click.argument("column", metavar="COLUMN")
@click.argument("tag", metavar="TAG")
@click.option("--config", "file", metavar="FILE", help="The cluster.json; by default that of the current directory.")
@click.option("--reject", is_flag=True, help="The column does not have the tag: do not suggest it again.")
@click.option("--reason", default="", metavar="TEXT", help="Why; written beside the decision.")
@click.option("--by", metavar="NAME", help="Who decides; by default the name of your login.")
@dictionary_option
def tag(
    column: str, tag: str, file: str | None, reject: bool, reason: str, by: str | None, dictionary: Dictionary
) -> None:
    """Write into cluster.json that COLUMN has TAG; the next scan applies it to the column and its copies.

    COLUMN is named as `scanner columns` prints it, with its topic or table in front; a column of a message's key is
    TOPIC.@key.COLUMN. Only `personal_data.decisions` of the file changes. A decision on the same tag is replaced.

    \b
    Examples:
      scanner tag orders.customer.email PII
      scanner tag payments.iban PII --reject --reason 'the account of a company'
      scanner tag orders.@key.id GDPR --config eu/cluster.json --by ann

    Exit status: 2 several columns have the name, or FILE is not a cluster.json; 4 no column has it.
    """
    decided = library.decide_tag(
        dictionary,
        _only(cluster_files([file] if file else (), "scanner tag")),
        column,
        tag,
        by=by or getpass.getuser(),
        on=date.today(),
        decision=Decision.REJECTED if reject else Decision.ACCEPTED,
        reason=reason,
    )
    has = "does not have" if reject else "has"
    instead = f", in place of: {decided.replaced}" if decided.replaced else ""
    echo(f"{decided.file}: {decided.dataset}.{decided.column} {has} the tag {decided.tag}{instead}")
    echo(f"the next scan applies it: scanner scan --config {decided.file}")


def _only(files: Sequence[str]) -> Path:
    (file,) = map(Path, files)
    if not file.is_file():
        raise InputInvalid("the file does not exist", where=str(file), hint="`scanner init` writes a cluster.json")
    return file
