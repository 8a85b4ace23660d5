"""Following references: in which order, whose name counts, where a subject is looked for, and that it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.schemas.references import Resolved, finder, lookup_in, resolve
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion


def version(subject: str, number: int = 1, *to: tuple[str, str, int], **members: object) -> SchemaVersion:
    """Build a version whose text says which it is, and which refers to (name, subject, version)."""
    values: dict[str, object] = {
        "source": SourceId("schema_registry:x"),
        "subject": SubjectName(subject),
        "version": number,
        "schema_id": "1",
        "format": "AVRO",
        "text": f"{subject} {number}",
        "references": tuple(Reference(name=n, subject=SubjectName(s), version=v) for n, s, v in to),
    }
    return SchemaVersion(**(values | members))  # type: ignore[arg-type]


def resolved(root: SchemaVersion, *others: SchemaVersion) -> Resolved:
    return resolve(root, finder([root, *others]))


def test_texts_stand_after_those_that_they_need() -> None:
    """Depth first, so a parser that goes through them in order knows every name."""
    root = version("root", 1, ("a", "a", 1), ("b", "b", 1))
    result = resolved(root, version("a", 1, ("c", "c", 1)), version("b"), version("c"))

    assert list(result.texts) == ["c", "a", "b"]


def test_referenced_version_counts_and_not_the_newest() -> None:
    """The schema was registered with that one."""
    result = resolved(version("root", 1, ("a", "a", 1)), version("a", 1), version("a", 2))

    assert result.texts == {"a": "a 1"}


@pytest.mark.parametrize("order", [1, -1])
def test_avro_types_are_found_in_whatever_text_defines_them(order: int) -> None:
    """A reference's name is free, even if it looks like a type's; the types that stand inside others count too."""
    address = '{"type":"record","name":"shop.Address","fields":[{"name":"k","type":{"type":"enum","name":"Kind"}}]}'
    texts = {"address.avsc": address, "shop.Kind": '{"type":"fixed","name":"shop.Hash","size":16}', "broken": "{"}
    lookup = lookup_in("AVRO", dict(list(texts.items())[::order]))

    assert [lookup(name) for name in ("shop.Address", "shop.Kind")] == [address, address]
    assert lookup("shop.Hash") == texts["shop.Kind"]
    assert (lookup("address.avsc"), lookup("none")) == (address, None)


def test_other_references_are_found_by_name_only() -> None:
    """An import or a URI names its file."""
    lookup = lookup_in("JSON", {"a.json": '{"type":"record","name":"A","fields":[]}'})

    assert (lookup("A"), lookup("a.json")) == (None, '{"type":"record","name":"A","fields":[]}')


def test_first_of_two_references_with_one_name_counts() -> None:
    """A name is what the text imports; there can be only one of it, and registries take the first."""
    root = version("root", 1, ("x", "x", 1), ("n", "n", 2))
    result = resolved(root, version("x", 1, ("n", "n", 1)), version("n", 1), version("n", 2))

    assert result.texts["n"] == "n 1"
    assert not result.problems


def test_subject_without_context_stays_in_its_parents() -> None:
    """As Confluent's registry resolves it."""
    root = version("root", 1, ("a", "a", 1), context=".eu")
    result = resolved(root, version("a", text="wrong"), version("a", text="right", context=".eu"))

    assert result.texts == {"a": "right"}


def test_qualified_subject_names_its_own_context_and_passes_it_on() -> None:
    """What it refers to is looked for there."""
    root = version("root", 1, ("a", ":.eu:a", 1))
    result = resolved(root, version("a", 1, ("b", "b", 1), context=".eu"), version("b", context=".eu", text="eu"))

    assert result.texts == {"b": "eu", "a": "a 1"}


def test_default_context_can_be_named_too() -> None:
    """From within another one."""
    result = resolved(version("root", 1, ("a", ":.:a", 1), context=".eu"), version("a"))

    assert result.texts == {"a": "a 1"}


def test_text_like_a_context_is_a_plain_name_where_a_subject_is_called_so() -> None:
    """A registry without contexts may have such a subject."""
    result = resolved(version("root", 1, ("a", ":.eu:a", 1)), version(":.eu:a"))

    assert result.texts == {"a": ":.eu:a 1"}


def test_group_before_an_artifact_names_its_own() -> None:
    """So references leave a group; names may hold colons of their own, on either side."""
    root = version("root", 1, ("a", "shop:a", 1), ("b", "x:y:b", 1), ("c", "x:c:1", 1), ("d", "default:d", 1))
    others = [version("a", context="shop"), version("b", context="x:y"), version("c:1", context="x"), version("d")]
    result = resolved(replace(root, context="bank"), *others)

    assert (result.texts, result.problems) == ({"a": "a 1", "b": "b 1", "c": "c:1 1", "d": "d 1"}, ())


def test_text_like_a_group_is_a_plain_name_where_a_subject_is_called_so() -> None:
    """Names are opaque; only Apicurio has groups."""
    root = version("root", 1, ("a", "shop:a", 1))

    assert resolved(root, version("shop:a"), version("a", context="shop")).texts == {"a": "shop:a 1"}


def test_deleted_versions_still_resolve() -> None:
    """Deleting a version takes nothing from those that use it."""
    result = resolved(version("root", 1, ("a", "a", 1)), version("a", deleted=True))

    assert result.texts == {"a": "a 1"}


def test_newest_is_a_live_one_before_deleted_ones() -> None:
    """That is what `-1` would have given."""
    result = resolved(
        version("root", 1, ("a", "a", -1)), version("a", 1), version("a", 2), version("a", 3, deleted=True)
    )

    assert result.texts == {"a": "a 2"}


def test_newest_of_deleted_ones_where_none_is_live() -> None:
    """Some text is better than none, and it is the one meant."""
    result = resolved(version("root", 1, ("a", "a", -1)), version("a", 1, deleted=True), version("a", 2, deleted=True))

    assert result.texts == {"a": "a 2"}


def test_missing_reference_is_reported_and_the_rest_resolved() -> None:
    """Columns of the other types stand."""
    result = resolved(version("root", 1, ("a", "gone", 7), ("b", "b", 1)), version("b"))
    (problem,) = result.problems

    assert result.texts == {"b": "b 1"}
    assert problem.where == "'root' version 1"
    assert "'gone'" in problem.what
    assert "version 7" in problem.what


def test_loop_ends() -> None:
    """Registries accept a schema that refers to itself."""
    root = version("root", 1, ("a", "a", 1))
    result = resolved(root, version("a", 1, ("root", "root", 1), ("a", "a", 1)))

    assert result.texts == {"root": "root 1", "a": "a 1"}


def test_long_chain_is_followed_up_to_a_bound() -> None:
    """Else each of a thousand subjects that refer to the next has the columns of all after it."""
    chain = [version(f"s{at}", 1, (f"s{at + 1}", f"s{at + 1}", 1)) for at in range(5000)]
    result = resolved(*chain)

    assert len(result.texts) == 64
    assert [(problem.where, "64 deep" in problem.what) for problem in result.problems] == [("s0 version 1", True)]


def test_many_references_are_followed_up_to_a_bound() -> None:
    """What is found until then is read."""
    wide = version("s", 1, *((f"t{at}", f"t{at}", 1) for at in range(1200)))
    result = resolved(wide, *(version(f"t{at}", 1) for at in range(1200)))

    assert len(result.texts) == 1000
    assert len(result.problems) == 1


@examples(100)
@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), max_size=4), min_size=1, max_size=5))
def test_any_graph_of_references_ends_with_each_name_once(graph) -> None:
    """Registries do not forbid loops in what they store."""
    versions = [
        version(f"s{at}", 1, *((name, f"s{to}", 1) for name, to in references)) for at, references in enumerate(graph)
    ]
    result = resolved(*versions)

    assert set(result.texts) <= set("abc")
    assert all(name in result.texts or result.problems for name, _ in graph[0])
