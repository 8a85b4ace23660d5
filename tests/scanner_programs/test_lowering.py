"""Lowering drops nothing: each name and text of a function's code is in the model of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scanner_extractor.repository.syntax_trees import parse_tree, suffix
from scanner_programs import ir
from scanner_programs.languages import BY_ENDING

DATA = Path(__file__).parent / "data"
WORD = re.compile(r"\w+")
SILENT = frozenset(
    "null nil None self this cls super async await make new byte string var let val mut undefined void static const "
    "format Ok Some Box Arc Rc Err unwrap expect clone into iter into_iter to_owned as_ref as_str also apply let run "
    "with lazy use Self crate json vec as_deref Sync Send Exception E K1 _ require true false break continue default function any int error exports".split()
)
"""Words of a language, types that a pattern or a handler names, and functions that only pass on what they are given."""
BODIES = {
    "A.java": "class A { void f() { while (aa) bb(); for (var cc : dd) ee(cc); if (gg) hh(); else ii(); do jj(); while "
    "(kk); switch (ll) { case MM: nn(); oo(); break; default: pp(); qq(); } switch (rr) { case SS -> tt(); case UU -> "
    "{ vv(); ww(); } } try { xx(); } catch (E e) { yy(); } finally { zz(); } int[] a1 = { b1, c1 }; d1 = e1 ? f1 : g1; "
    "for (int h1 = i1; j1 < k1; l1++) m1(); synchronized (this) { o1(); } p1: while (q1) { r1(); } s1(t1 -> u1); } }",
    "A.kt": "fun f() { while (aa) bb(); for (cc in dd) ee(cc)\n if (gg) hh() else ii()\n do { jj() } while (kk)\n when "
    "(ll) { MM -> nn()\n OO, PP -> { qq(); rr() }\n else -> ss() }\n try { tt() } catch (e: E) { uu() } finally { vv() }\n"
    "val ww = xx ?: yy\n zz { a1 -> b1(a1) }\n c1.d1 { e1() }\n while (f1) for (g1 in h1) i1() }",
    "A.scala": "object A { def f = { while (aa) bb(); for (cc <- dd) ee(cc); if (gg) hh() else ii(); ll match { case MM => "
    "nn(); oo()\n case PP if qq => rr\n ss() }\n try tt() catch { case e: E => uu(); vv() } finally ww()\n val xx = yy\n "
    "for { zz <- a1; b1 = c1; if d1 } yield e1(zz) }\n given G[H] = f1(g1)\n extension (h1: I) def i1 = j1(h1) }",
    "a.py": "def f():\n while aa: bb()\n for cc in dd: ee(cc)\n if gg: hh()\n elif ii: jj()\n else: kk()\n try: ll()\n "
    "except E: mm()\n else: nn()\n finally: oo()\n with pp() as qq: rr(qq)\n match ss:\n  case TT(): uu(); vv()\n  case _: "
    "ww()\n xx = [yy for zz in a1 if b1]\n c1 = d1 if e1 else f1\n yield g1\n h1 = {i1: j1 for k1 in l1}\n (m1 := n1)\n"
    " for o1 in p1: q1()\n else: r1()\n lambda s1: t1\n raise w1\n",
    "a.ts": "function f() { while (aa) bb(); for (const cc of dd) ee(cc); for (let gg = hh; ii < jj; kk++) ll(); if (mm) nn();"
    " else oo(); do pp(); while (qq); switch (rr) { case SS: tt(); uu(); break; default: vv(); ww(); } try { xx(); } catch "
    "(e) { yy(); } finally { zz(); } const a1 = b1 ?? c1; d1?.e1(f1); const { g1 = h1, ...i1 } = j1; (k1) => l1; m1`${n1}`;"
    " for (const o1 in p1) q1(); throw r1; const [s1, t1] = u1; v1 = w1 as X1; }",
    "a.go": "package a\nfunc f() { for aa { bb() }; for cc := range dd { ee(cc) }; for gg := hh; ii < jj; kk++ { ll() }; if "
    "mm := nn(); oo { pp() } else { qq() }; switch rr { case SS, TT: uu(); vv(); default: ww(); xx() }; switch yy := zz."
    "(type) { case A1: b1(yy); c1() }; select { case d1 := <-e1: f1(d1); g1() }; defer h1(); go i1(); j1 := k1{l1: m1}; "
    "n1 <- o1; p1 := func(q1 R1) { s1() }; t1[u1] = v1; w1: for { x1() } }",
    "a.cs": "class A { void F() { while (aa) bb(); foreach (var cc in dd) ee(cc); for (var gg = hh; ii < jj; kk++) ll(); if "
    "(mm) nn(); else oo(); do pp(); while (qq); switch (rr) { case SS: tt(); uu(); break; default: vv(); ww(); break; } try "
    "{ xx(); } catch (E e) { yy(); } finally { zz(); } var a1 = b1 switch { C1 => d1, { E1: f1 } => g1, _ => h1 }; using "
    "(var i1 = j1()) k1(); using var l1 = m1(); lock (n1) { o1(); } p1 ??= q1; if (r1 is { S1: > 3, T1: var u1 }) v1(u1);"
    " foreach (var (w1, x1) in y1) z1(w1, x1); } }",
    "a.rs": "fn f() { while aa { bb(); } for cc in dd { ee(cc); } if gg { hh() } else { ii() } match ll { MM => nn(), "
    "OO(pp) if qq => { rr(); ss() } _ => tt() } loop { uu(); } let vv = if ww { xx } else { yy }; if let ZZ(a1) = b1 { "
    "c1(a1) } while let D1(e1) = f1 { g1(e1) } let h1 = |i1| j1(i1); let K1 { l1, .. } = m1; n1?.o1(); let p1 = q1 as R1; "
    's1!(t1, u1 + v1); w1[x1] = y1; let Z1(a2) = b2 else { c2() }; json!({ "d2": e2, "f2": [g2, { "h2": i2 }] }); }',
}


def programs() -> Iterator[tuple[str, str]]:
    yield from BODIES.items()
    for path in sorted((DATA).glob("*/*.json")):
        for name, text in json.loads(path.read_text())["files"].items():
            if suffix(name) in BY_ENDING:
                yield f"{path.stem}/{name}", text


PROGRAMS = dict(programs())


def names_of(code: object) -> Iterator[str]:
    for one in ir.walk(code):
        for part in ir.parts_of(type(one)) or ():
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
