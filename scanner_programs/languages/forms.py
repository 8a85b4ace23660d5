"""Forms that some languages share: the cases of a switch that go on in the next one, and values in texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanner_programs.ir import Argument, Block, Call, Case, Exit, Expression, Kind, Literal, Name, Statement


def formatted(value: Expression, form: str) -> Expression:
    """Return a value in a text, in the form that the text says; an empty one is its own."""
    return Call(Name("format"), (Argument(value), Argument(Literal(Kind.TEXT, form)))) if form else value


def fallen(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases of a switch with what follows each: one that nothing leaves goes on in the next one."""
    found: list[Case] = []
    rest: tuple[Expression | Statement, ...] = ()
    for one in reversed(cases):
        last = one.body.statements[-1] if one.body.statements else None
        while isinstance(last, Block) and last.statements:
            last = last.statements[-1]
        rest = one.body.statements if isinstance(last, Exit) else (*one.body.statements, *rest)
        found.append(replace(one, body=Block(rest)))
    return tuple(reversed(found))
