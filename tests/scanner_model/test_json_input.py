from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.documents.json_input import DEEPEST, TooLarge, check_size, load_json

_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner),
    max_leaves=20,
)


@given(_JSON)
def test_what_is_small_and_whole_is_loaded_as_the_standard_library_loads_it(value: object) -> None:
    """The bounds and replacements change nothing for an ordinary answer."""
    loaded = load_json(json.dumps(value).encode("utf-8", "surrogatepass"))

    assert (loaded.value, loaded.replaced) == (value, 0)


@given(st.text(alphabet='ab"\\{[,:\u0101', max_size=200), st.integers(0, 40))
def test_marks_inside_of_strings_are_not_counted(text: str, width: int) -> None:
    """A schema is a string full of brackets; only the document's own count, wherever a window ends."""
    document = json.dumps([text] * width).encode()

    check_size(document, most=width + 1)
    with pytest.raises(TooLarge):
        check_size(document + b"," * (width + 2), most=width + 1)


@pytest.mark.parametrize("piece", [b"{},", b'"",', b"[[],", b'{"":0},'])
def test_a_document_of_very_many_values_is_refused_before_any_is_made(piece: bytes) -> None:
    """A small compressed answer can hold enough of them to fill the memory."""
    with pytest.raises(TooLarge):
        load_json(b"[" + piece * 1000, most=1000)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_levels_are_bounded(opening: bytes) -> None:
    """Readers recurse, and a level of ours must not end in a failure of theirs."""
    closing = b"]" if opening == b"[" else b"}"

    assert load_json(opening * DEEPEST + (b"" if opening == b"[" else b"1") + closing * DEEPEST)
    with pytest.raises(TooLarge):
        load_json(opening * (DEEPEST + 1) + (b"" if opening == b"[" else b"1") + closing * (DEEPEST + 1))


@pytest.mark.parametrize(
    ("text", "value", "replaced"),
    [
        (rb'["\ud800"]', ["\ufffd"], 1),
        (rb'["\\ud800"]', ["\\ud800"], 0),
        (rb'["\\\ud800"]', ["\\\ufffd"], 1),
        (rb'["\ud83d\ude00"]', ["\U0001f600"], 0),
        (rb'["\ud83d\ud83d\ude00"]', ["\ufffd\U0001f600"], 1),
        (rb'["a\u0000b", "\\u0000"]', ["a\ufffdb", "\\u0000"], 1),
        (rb'{"\uDfff": {"a": "\udfff"}}', {"\ufffd": {"a": "\ufffd"}}, 2),
    ],
)
def test_half_a_surrogate_pair_is_replaced_and_counted(text: bytes, value: object, replaced: int) -> None:
    """No file or dictionary can hold it, and what is around it must not be lost with it."""
    assert load_json(text) == (value, replaced, False)
