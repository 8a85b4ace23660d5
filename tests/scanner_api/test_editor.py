"""What an editor shows at a place in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from committed_repository import BASE

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.editor import OpenFile, Subject, lenses_in, subjects_at

FILES = {
    **BASE,
    "Billing.java": (
        "import org.apache.kafka.clients.consumer.KafkaConsumer;\n"
        "public class Billing {\n"
        "  void run(KafkaConsumer<String, Order> consumer) {\n"
        '    consumer.subscribe(java.util.List.of("orders"));\n'
        "  }\n"
        "}\n"
    ),
}


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return a dictionary of the files."""
    home = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (home / name).write_text(text, encoding="utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("dictionary") / "files.db", create=True)
    scanner_api.scan((), dictionary, directories=[home])
    scanner_api.generate(dictionary, store=True)
    return dictionary


def at(dictionary: Dictionary, file: str, word: str, repository: Dictionary | None = None) -> tuple[Subject, ...]:
    """Return what the first *word* in a file names."""
    text = FILES[file]
    return subjects_at(dictionary, OpenFile(path=file, text=text), text.index(word) + 1, repository)


def test_a_field_of_a_schema_has_its_readers_nearest_first(dictionary: Dictionary) -> None:
    (field,) = at(dictionary, "orders-value.avsc", "total")

    assert (field.name, field.type) == ("orders.total", "double")
    assert [(user.name, user.is_certain) for user in field.readers] == [
        ("CSAS_BIG", True),
        ("Billing", False),
        ("s3", True),
    ]
    assert field.markdown.splitlines()[2] == r"read by CSAS\_BIG, s3; may be read by Billing"


def test_a_field_that_a_statement_makes_has_writer_and_origin(dictionary: Dictionary) -> None:
    fields = {field.name: field for field in at(dictionary, "a.ksql", "total FROM")}

    assert set(fields) == {"orders.total", "BIG.TOTAL"}
    assert fields["BIG.TOTAL"].origins == ("orders.total",)
    assert [user.name for user in fields["BIG.TOTAL"].writers] == ["CSAS_BIG"]


@pytest.mark.parametrize(("file", "word"), [("Billing.java", "orders"), ("a.ksql", "orders (id")])
def test_a_topic_is_found_in_any_file(dictionary: Dictionary, file: str, word: str) -> None:
    (topic,) = at(dictionary, file, word)

    assert topic.name == "orders"
    assert {user.name for user in topic.readers} == {"Billing", "CSAS_BIG"}


def test_readers_have_places_in_files(dictionary: Dictionary) -> None:
    """Of source code the call, of a statement its line, of a connector its file."""
    (field,) = at(dictionary, "orders-value.avsc", "total")

    assert {user.name: user.places for user in field.readers} == {
        "Billing": ("Billing.java:4",),
        "CSAS_BIG": ("a.ksql:2",),
        "s3": ("sink.json:1",),
    }


def test_the_name_of_a_type_is_no_field(dictionary: Dictionary) -> None:
    """A record is often called as the field that has it, but for its first letter."""
    file = OpenFile(path="orders-value.avsc", text='{"type": "record", "name": "Total"}')

    assert subjects_at(dictionary, file, file.text.index("Total")) == ()


@pytest.mark.parametrize(("file", "word"), [("README.md", "one"), ("a.ksql", "SELECT"), ("orders-value.avsc", "{")])
def test_other_words_show_nothing(dictionary: Dictionary, file: str, word: str) -> None:
    assert at(dictionary, file, word) == ()


def test_a_field_name_that_the_file_cannot_mean_shows_nothing(dictionary: Dictionary) -> None:
    """`id` is in most schemas: a guess would be wrong most of the time."""
    file = OpenFile(path="other.py", text="id = 1")

    assert subjects_at(dictionary, file, 1) == ()


def test_without_a_graph_nothing_is_said_of_readers(tmp_path: Path) -> None:
    """No known reader is another answer than no graph."""
    (tmp_path / "orders-value.avsc").write_text(BASE["orders-value.avsc"], encoding="utf-8")
    (tmp_path / "topics.sh").write_text(BASE["topics.sh"], encoding="utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    scanner_api.scan((), dictionary, directories=[tmp_path])
    (field,) = at(dictionary, "orders-value.avsc", "total")

    assert not field.is_current
    assert "no known reader" not in field.markdown


def test_names_of_others_are_no_markup() -> None:
    subject = Subject(name="a", kind="field", doc="<img src=x> [x](http://example.org)")

    assert r"\<img src=x\> \[`x](http://example.org`)" in subject.markdown


def test_readers_are_above_each_field_that_a_schema_declares(dictionary: Dictionary) -> None:
    text = FILES["orders-value.avsc"]
    lenses = lenses_in(dictionary, OpenFile(path="orders-value.avsc", text=text))

    assert {text[lens.offset :].partition('"')[0]: lens.title for lens in lenses}["total"] == (
        "read by CSAS_BIG:2, s3:1; may be read by Billing:4"
    )


@pytest.mark.parametrize("file", ["Billing.java", "a.ksql"])
def test_readers_are_above_the_first_name_of_a_topic(dictionary: Dictionary, file: str) -> None:
    text = FILES[file]
    lenses = lenses_in(dictionary, OpenFile(path=file, text=text))

    assert lenses[0].offset == text.index("orders")
    assert "Billing:4" in lenses[0].title


def test_a_file_that_names_nothing_has_no_lines_above(dictionary: Dictionary) -> None:
    assert lenses_in(dictionary, OpenFile(path="a.py", text="total = 1")) == ()
