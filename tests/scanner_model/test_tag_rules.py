"""Tests for the rules that suggest tags: on labelled names, half of which the rules were not tuned on."""

from __future__ import annotations

import csv
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.errors import InputInvalid
from scanner_model.tag_rules import rule_document, rules_of, words_of

LABELLED = Path(__file__).parent / "data" / "labelled_columns.csv"
"""Names of columns of public schemas, with their dataset and language; 1: they describe a person.

A row is of the half that rules may be tuned on where the SHA-256 of `dataset.column` is even.
"""

TUNED, HELD = 0, 1
MISTAKES = {
    TUNED: ["requestMetadata.clientAddress", "toolComponent.fullName"],
    HELD: [
        "ArrayType.str",
        "PrimitiveTypes.strWithParam",
        "empleado.estadi_civil",
        "empleado.fecha_n",
        "externalPropertyFileReferences.addresses",
        "staticSpiffeClientConfig.workloadAPIAddr",
    ],
}
"""All names of each half that are judged wrongly."""


def rows_of(half: int) -> list[dict[str, str]]:
    """Return the labelled names of a half."""
    with LABELLED.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        row for row in rows if int(sha256(f"{row['dataset']}.{row['column']}".encode()).hexdigest(), 16) % 2 == half
    ]


@pytest.mark.parametrize("half", [TUNED, HELD])
def test_nine_in_ten_suggestions_are_right_and_nine_in_ten_personal_columns_are_found(half) -> None:
    judge, rows = rules_of().suggest, rows_of(half)
    found = {(row["dataset"], row["column"]) for row in rows if judge(row["dataset"], (row["column"],), "string", None)}
    personal = {(row["dataset"], row["column"]) for row in rows if row["personal"] == "1"}
    right = found & personal

    assert len(rows) > 650
    assert len(right) / len(found) > 0.9
    assert len(right) / len(personal) > 0.9
    assert sorted(".".join(each) for each in found ^ personal) == MISTAKES[half]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("homeAddress_2", ("home", "address")),
        ("IPAddress", ("ip", "address")),
        ("FIRST_NAME", ("first", "name")),
        ("Straße", ("strasse",)),
        ("Płeć", ("plec",)),
        ("Telefonní číslo", ("telefonni", "cislo")),
        ("e-mail", ("e", "mail")),
        ("42", ()),
    ],
)
def test_names_are_split_at_punctuation_digits_and_capitals_and_lose_accents(name, words) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("dataset", "path", "suggested"),
    [
        ("customers", ("name",), True),
        ("products", ("name",), False),
        ("orders", ("customer", "name"), True),
        ("cdc.customers", ("payload", "name"), True),
        ("orders", ("lines", "[]", "product_name"), False),
        ("users", ("email_verified",), False),
        ("users", ("email_count",), False),
        ("users", ("last_login_time",), False),
        ("orders", ("customer_id",), False),
        ("orders", ("contacts", "[]", "<Email>", "email"), True),
    ],
)
def test_a_word_alone_does_not_decide(dataset, path, suggested) -> None:
    assert (rules_of().suggest(dataset, path, "string", None) is not None) is suggested


def test_a_yes_or_no_is_nothing_personal_and_documentation_counts() -> None:
    rules = rules_of()

    assert rules.suggest("users", ("email",), "boolean", None) is None
    found = rules.suggest("orders", ("ref",), "string", "The e-mail address of whoever ordered")
    assert found is not None
    assert found.why == "its documentation has 'e mail address'"


OWN = """
persons = ["cook"]   # of ours
[[rule]]
tag = "SECRET"
kind = "a recipe"
words = ["recipe", "e mail"]
"""


def test_own_rules_count_before_those_of_the_program() -> None:
    rules = rules_of((rule_document(OWN, "rules.toml"),))

    assert rules.suggest("cakes", ("recipe",), "string", None) == ("SECRET", "a recipe: its name has 'recipe'")
    assert rules.suggest("users", ("email",), "string", None) == ("SECRET", "a recipe: its name has 'email'")
    assert rules.suggest("users", ("phone",), "string", None) == rules_of().suggest("users", ("phone",), "string", None)
    assert rules.suggest("cook", ("name",), "string", None) is not None
    assert "of ours" not in rule_document(OWN, "rules.toml")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rule = 1",
        "[[rule]]\nwords = 1",
        "\x00",
        'rule = ["a"]',
        '[[rule]]\ntag = "PII"\nkind = "x"\nwords = "email"',
        '[[rule]]\ntag = 1\nkind = "x"\nwords = ["email"]',
    ],
)
def test_a_file_without_rules_is_refused_with_its_name(text) -> None:
    with pytest.raises(InputInvalid) as raised:
        rule_document(text, "rules.toml")

    assert "rules.toml" in str(raised.value)


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=3), st.text(max_size=200))
def test_whatever_the_names_they_are_judged(dataset, path, doc) -> None:
    found = rules_of().suggest(dataset, tuple(path), "string", doc)

    assert found is None or found.tag == "PII"
