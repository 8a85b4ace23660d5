"""Text of others does nothing in Markdown."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scanner_model.markdown import code, inert, sentence

ACTIVE = (
    *("@victim", "(@acme/data)", "a@b.example", "@a,@b;@c", "x@acme/team.", "\\@victim", "&#64;victim", "`@victim"),
    *(
        "https://evil.example/a",
        "www.evil.example",
        "WWW.evil.example",
        "mailto:a@b.c",
        "ftp://evil",
        "<https://e.example>",
    ),
    *("#12", "acme/shop#12", "GH-12", "gh-7", ":tada:", "x:+1:", "0123abc", "0123456789abcdef0123456789abcdef01234567"),
    *("!12", "~bug", "$12", "%3", "[a](https://e.example)", "![x](//e.example/p.png)", "[a]: //e.example", "``@x``"),
    *("/close", "/label ~bug", "&12", "(&3)", "$\\sqrt{x}$", "${a}$"),
)


def outside_of_code(markdown: str) -> str:
    """Return the text that a platform searches for mentions and addresses: entities and escapes are decoded first."""
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", " ", markdown)
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


@pytest.mark.parametrize("text", ACTIVE)
def test_a_word_on_which_a_platform_acts_is_code(text: str) -> None:
    shown = outside_of_code(inert(f"before {text} after"))

    assert not re.search(
        r"@\w|https?:|www\.|mailto:|ftp:|#\d|(?i:gh-\d)|:[\w+]+:|\b[0-9a-f]{7,}\b|[!~$%&]\w|\$\S|/close|/label", shown
    )


def test_ordinary_text_stays() -> None:
    assert (
        inert("amount is removed, CSAS_BIG reads it: 5 of 7 (70 %)")
        == r"amount is removed, CSAS\_BIG reads it: 5 of 7 (70 %)"
    )


@given(st.text(alphabet=st.sampled_from("@a`*_[]()<>!|\\&#;:/.w \n~-+"), max_size=40))
def test_any_text_is_one_paragraph_of_text_and_code(text: str) -> None:
    """Neither HTML, links, images nor emphasis."""
    for shown in (inert(f"x {text}"), f"x {code(text)}"):
        tokens = [child.type for token in MarkdownIt("commonmark").parse(shown) for child in token.children or ()]
        assert set(tokens) <= {"text", "code_inline", "text_special"}


def test_a_sentence_keeps_code_between_backticks() -> None:
    """What is around it, and a backtick without another, is text."""
    assert sentence("set `retention.ms` of a_b") == "set `retention.ms` of a\\_b"
    assert sentence("a ` b") == inert("a ` b")
