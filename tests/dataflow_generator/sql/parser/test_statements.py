"""Texts are parsed once, however often they are analyzed."""

from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.nodes import InsertStatement
from dataflow_generator.sql.parser.cursor import UnparsedError
from dataflow_generator.sql.parser.statements import parse_text

TEXT = "INSERT INTO paid SELECT id FROM orders; INSERT INTO paid SELECT (; BEGIN STATEMENT SET; END"


def test_a_text_that_is_read_again_is_not_parsed_again() -> None:
    """A Flink statement is analyzed for its tables, and again when the columns of their topics are known."""
    assert parse_text(TEXT, Dialect.FLINK) is parse_text(TEXT, Dialect.FLINK)


def test_a_very_long_text_is_not_kept() -> None:
    """The trees of many such texts would take too much memory."""
    text = TEXT + " " * 10_000

    assert parse_text(text, Dialect.FLINK) is not parse_text(text, Dialect.FLINK)


def test_a_statement_that_cannot_be_parsed_leaves_the_others() -> None:
    """Its error is kept without the frames in which it was raised."""
    first, second, third, last = parse_text(TEXT, Dialect.FLINK)

    assert isinstance(first.tree, InsertStatement)
    assert isinstance(second.error, UnparsedError)
    assert second.error.__traceback__ is None
    assert (third.tree, third.error, last.opening) == (None, None, "END")
