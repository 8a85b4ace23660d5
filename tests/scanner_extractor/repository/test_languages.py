"""The languages of programs: what each says of its grammar and of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module

import pytest
import tree_sitter

from scanner_extractor.repository.applications.code import read_unit
from scanner_extractor.repository.applications.expressions import Expr
from scanner_extractor.repository.applications.index import Index
from scanner_extractor.repository.applications.values import Resolver
from scanner_extractor.repository.languages import BY_ENDING, LANGUAGES, language_of
from scanner_extractor.repository.languages.language import Language, Nodes


def node_types(language: Language) -> set[str]:
    types = {"ERROR"}
    for grammar in set(language.grammars.values()):
        parsed = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
        types |= {parsed.node_kind_for_id(number) or "" for number in range(parsed.node_kind_count)}
    return types


def nodes_of(language: Language) -> set[str]:
    members = [getattr(language.nodes, member.name) for member in fields(Nodes)]
    values = [value for value in members if not isinstance(value, str)]
    groups = [group for value in values for group in (value.values() if isinstance(value, Mapping) else [value])]
    return {node for group in groups for node in group}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_language_names_nodes_of_its_grammar(language: Language) -> None:
    """A misspelt node is never entered, and what it holds is never found."""
    assert nodes_of(language) - node_types(language) == set()


def test_a_node_has_one_form() -> None:
    """Of two forms, the later one would win unnoticed."""
    for language in LANGUAGES:
        listed = [node for nodes in language.nodes.expressions.values() for node in nodes]
        assert len(listed) == len(set(listed)), language.name


def test_an_ending_belongs_to_one_language() -> None:
    assert sum(len(language.grammars) for language in LANGUAGES) == len(BY_ENDING)
    assert language_of("src/Orders.KT") is BY_ENDING[".kt"]
    assert language_of("orders.tf") is None


def texts(path: str, source: str, called: str) -> list[str]:
    """Return the texts of the last argument of a call in a file."""
    index = Index(lambda _: "")
    index.add(unit := read_unit(path, source))
    call, scope = next(entry for entry in unit.calls if entry[0].text == called)
    argument: Expr = call.positional()[-1]
    return [value.text for value in Resolver(index).texts(argument, scope)]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.go", 'package a\nfunc f() { use(fmt.Sprintf("%s-orders", "eu")) }', ["eu-orders"]),
        ("a.cs", 'class A { void F() { use(string.Format("{0}-orders", "eu")); } }', ["eu-orders"]),
        ("a.py", 'use("{}-orders".format("eu"))', ["eu-orders"]),
        ("A.java", 'class A { void f() { use(String.format("%s-orders", "eu")); } }', ["eu-orders"]),
    ],
)
def test_a_text_is_formatted_as_its_language_does(path: str, source: str, expected: list[str]) -> None:
    assert texts(path, source, "use") == expected


def test_a_method_means_nothing_in_another_language() -> None:
    """`collect` returns the elements of a stream of Java, and is an ordinary name in Python."""
    java = 'class A { void f() { String[] t = {"orders"}; use(t.collect()); } }'

    assert texts("A.java", java, "use") == ["orders"]
    assert texts("a.py", 't = ["orders"]\nuse(t.collect())', "use") == []
