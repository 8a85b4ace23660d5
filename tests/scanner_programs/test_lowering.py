"""Lowering drops nothing: each name and text of a function's code is in the model of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scanner_extractor.repository.syntax_trees import parse_tree, suffix
from scanner_programs import ir
from scanner_programs.ir import parts_of, walk
from scanner_programs.languages import BY_ENDING

DATA = Path(__file__).parent / "data"
WORD = re.compile(r"\w+")
SILENT = frozenset(
    WORD.findall(
        """
        null nil None self this cls super async await new byte string var let val mut undefined void static const
        format Ok Some Box Arc Rc Err unwrap expect clone into iter into_iter to_owned as_ref as_str also apply let
        run with lazy use Self crate json vec as_deref Sync Send Exception E K1 _ require make true false break
        continue default function any int error exports eprintln
        """
    )
)
"""Words of a language, types that a pattern or a handler names, and functions that only pass on what they are given."""
BODIES: dict[str, str] = json.loads((DATA / "bodies.json").read_text())
"""A function of each language with its kinds of statements and expressions."""


def programs() -> Iterator[tuple[str, str]]:
    yield from BODIES.items()
    for path in sorted((DATA).glob("*/*.json")):
        for name, text in json.loads(path.read_text())["files"].items():
            if suffix(name) in BY_ENDING:
                yield f"{path.stem}/{name}", text


PROGRAMS = dict(programs())


def names_of(code: object) -> Iterator[str]:
    for one in walk(code):
        for part in parts_of(type(one)) or ():
            value = getattr(one, part)
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str):
                    yield from WORD.findall(text)


def words_of(node, functions: bool) -> Iterator[str]:
    """Yield the words of the functions below a node, but for comments, types of errors, labels and names of values."""
    if (
        "comment" in node.type
        or node.type.startswith("catch_")
        or "label" in node.type
        or node.type == "attribute_item"
    ):
        return
    if node.parent is not None and node.parent.type == "function_expression" and node.type == "identifier":
        return  # the name of a function that is used as a value
    inside = functions or node.type.startswith(("function", "method", "constructor"))
    if inside and not node.children and node.is_named:
        yield from WORD.findall(node.text.decode())
    for one in node.children:
        if node.type != "except_clause" or one.type == "block":
            yield from words_of(one, inside)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_name_in_a_function_is_in_its_model(lowered, name: str) -> None:
    text = PROGRAMS[name]
    file = lowered(name, text)
    parts = (file.classes, file.functions, file.statements, *(one for each in file.methods for one in each))
    known = {*names_of(parts), *names_of(tuple(one for _, one in file.methods)), *map(str, file.imports)}
    whole = " ".join(known)
    words = set(words_of(parse_tree(name, text), functions=False)) - SILENT

    assert {one for one in words if one not in known and one not in whole and not one[0].isdigit()} == set()


@pytest.mark.parametrize(
    ("path", "code", "count"),
    [
        ("a.cs", "class A { A With(B b) { b.Give(this, 1); this.x = this; return this; } }", 4),
        ("a.java", "class A { A with(B b) { b.give(this, 1); this.x = this; return this; } }", 4),
        ("a.kt", "class A { fun with(b: B): A { b.give(this, 1); return this } }", 2),
        ("a.ts", "class A { with(b: B): A { b.give(this, 1); this.x = this; return this } }", 4),
        ("a.rs", "impl A { fn with(self, b: B) -> A { b.give(self, 1); return self } }", 2),
        ("a.scala", "class A { def give(b: B): A = { b.give(this, 1); this } }", 2),
    ],
)
def test_the_object_itself_is_a_value_wherever_it_stands(lowered, path: str, code: str, count: int) -> None:
    """Grammars have the word as a token without a name in some places."""
    file = lowered(path, code)
    assert [one for one in walk((file.classes, file.functions, file.methods)) if one == ir.Name("this")] == [
        ir.Name("this")
    ] * count


MEMBERS = {
    "a.kt": (
        "class V(c: R) {{\n init {{ {} }}\n}}",
        "class V {{\n companion object {{\n  init {{ {} }}\n }}\n}}",
        "class V : L by make({}) {{\n}}",
        "class V(c: R) {{\n constructor(a: Int) : this({}) {{ }}\n}}",
        "class V(c: R) {{\n constructor(a: Int) : this(1) {{ {} }}\n}}",
        "enum class E {{ A {{ override fun f() = {} }} }}",
        "class V {{ var x = 1\n set(value) {{ {} }} }}",
        "interface I {{\n val x: Int\n  get() = {}\n}}",
    ),
    "a.java": (
        "class V {{ static {{ {}; }} }}",
        "class V {{ {{ {}; }} }}",
        "enum E {{ A {{ void f() {{ {}; }} }} }}",
        "record R(int a) {{ R {{ {}; }} }}",
        "class V {{ Object o = new Object() {{ void f() {{ {}; }} }}; }}",
    ),
    "a.scala": ("class V(c: R) {{\n {}\n}}", "object O {{\n {}\n}}", "class V extends B({}) {{ }}"),
    "a.ts": ("class V {{ static {{ {}; }} }}", "class V {{ x = {}; }}", "namespace N {{ {}; }}", "enum E {{ A = {} }}"),
    "a.py": ("class V:\n    {}\n", "class V({}):\n    pass\n", "class V:\n    for x in y:\n        {}\n"),
    "a.go": ("package a\nfunc init() {{ {} }}\n", "package a\nvar x = {}\n"),
    "a.cs": (
        "class V {{ static V() {{ {}; }} }}",
        "class V(int a) : B({}) {{ }}",
        "class V {{ V() : this({}) {{ }} }}",
        "class V {{ ~V() {{ {}; }} }}",
        "class V {{ event E e {{ add {{ {}; }} remove {{ }} }} }}",
        "class V {{ int this[int i] {{ get {{ return {}; }} }} }}",
        "class V {{ int X {{ set {{ {}; }} }} }}",
    ),
    "a.rs": (
        "impl T for V {{ const X: i32 = {}; }}",
        "static X: i32 = {};",
        "fn f() {{ let x = loop {{ break {}; }}; }}",
        "macro_rules! m {{ () => {{ {} }} }}",
        "lazy_static! {{ static ref X: String = {}; }}",
        "thread_local! {{ static X: Cell<i32> = const {{ Cell::new({}) }} }}",
        "declare!(a, {});",
    ),
}
"""Where code stands that is in no function that a program calls by its name."""


@pytest.mark.parametrize(("path", "form"), [(path, form) for path, forms in MEMBERS.items() for form in forms])
def test_code_that_runs_by_itself_is_in_the_model(lowered, path: str, form: str):
    file = lowered(path, form.format("zork(1)"))
    assert "zork" in {*names_of((file.classes, file.functions, file.methods, file.statements))} | {
        word for one in ir.walk(file.statements) if isinstance(one, ir.Unknown) for word in WORD.findall(one.what)
    }


def test_what_a_macro_is_given_as_declarations_is_declared(lowered):
    text = (
        'lazy_static::lazy_static! {\n    pub static ref TOPIC: String = "orders".to_string();\n}\n'
        "thread_local! {\n    static NAME: Cell<u8> = Cell::new(1);\n    static LAST: u8 = 2\n}\n"
        "plain!(a, b);\n"
    )

    file = lowered("a.rs", text)

    declared = [one.target.name for one in file.statements if isinstance(one, ir.Declare)]
    assert declared == ["TOPIC", "NAME", "LAST"]
    assert [one.line for one in ir.walk(file.statements[0]) if isinstance(one, ir.Call)] == [2]
    assert len(file.statements) == 4
