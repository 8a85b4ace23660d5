"""`scanner explain schema`: what is read from files of any kind."""

import json
from pathlib import Path

import pytest

AVRO = '{"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": "long", "default": NUMBER}]}'
PROTO = 'syntax = "proto3";\nmessage Order {\n  int64 id = 1;\n}\n'


@pytest.fixture
def file(tmp_path: Path):
    """Write a file."""

    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def test_document_has_the_documented_members(scanner, file) -> None:
    """Programs rely on them."""
    document = scanner("explain", "schema", file("o.avsc", AVRO.replace("NUMBER", "1")), "--format", "json").json

    assert document == {
        "format_version": 1,
        "format": "AVRO",
        "name": "shop.Order",
        "tags": [],
        "columns": [
            {
                "path": ["id"],
                "name": "id",
                "type": "long",
                "logical_type": None,
                "nullable": False,
                "default": 1,
                "has_default": True,
                "doc": None,
                "tags": [],
            }
        ],
        "problems": [],
    }


@pytest.mark.parametrize("number", ["NaN", "1e400", "-Infinity"])
def test_a_default_that_json_has_no_number_for_is_text(number, scanner, file) -> None:
    """The document stays JSON for every reader."""
    result = scanner("explain", "schema", file("o.avsc", AVRO.replace("NUMBER", number)), "--format", "json")
    document = json.loads(result.out, parse_constant=lambda constant: pytest.fail(constant))

    assert isinstance(document["columns"][0]["default"], str)


@pytest.mark.parametrize("text", [PROTO, "\ufeff" + PROTO, PROTO.replace("\n", "\r\n")], ids=["plain", "bom", "crlf"])
@pytest.mark.parametrize("name", ["o.proto", "o.txt"])
def test_a_text_is_read_wherever_it_was_edited(name, text, scanner, file) -> None:
    """Editors add byte order marks and line ends, and not every suffix shows the format."""
    document = scanner("explain", "schema", file(name, text), "--format", "json").json

    assert document["format"] == "PROTOBUF"
    assert [(column["name"], column["type"]) for column in document["columns"]] == [("id", "int64")]


def test_a_file_that_is_no_schema_is_invalid_input(scanner, file) -> None:
    """The document has the reason, and the status shows that nothing can be used."""
    result = scanner("explain", "schema", file("o.avsc", "{"), "--format", "json")

    assert result.status == 2
    assert result.json["columns"] == []
    assert result.json["problems"][0].keys() == {"where", "what", "hint"}
    assert result.err == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.proto", 'syntax = "proto3"; import public "google/protobuf/any.proto";'),
        ("o.schema.json", '{"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [true, false]}'),
    ],
)
def test_a_right_schema_without_columns_is_no_error(name: str, text: str, scanner, file) -> None:
    """Some files only extend others, and some match nothing: this is reported, and is no error."""
    result = scanner("explain", "schema", file(name, text), "--format", "json")

    assert (result.status, result.json["columns"]) == (0, [])
    assert result.json["problems"]


def test_a_part_that_cannot_be_read_is_a_warning(scanner, file) -> None:
    """The rest is shown."""
    result = scanner("explain", "schema", file("o.proto", PROTO), "--record", "Nobody")

    assert result.status == 0
    assert result.out.splitlines()[1].split() == ["id", "int64"]
    assert result.err.startswith("warning: ")
    assert "o.proto: " in result.err


def test_references_are_files_by_name(scanner, file) -> None:
    """As a registry hands them over."""
    text = PROTO.replace("message", 'import "money.proto";\nmessage').replace("int64", "Money")
    money = file("m.proto", PROTO.replace("Order", "Money"))
    result = scanner(
        "explain", "schema", file("o.proto", text), "--reference", f"money.proto={money}", "--format", "csv"
    )

    assert [line.split(",")[0] for line in result.out.splitlines()] == ["name", "id", "id.id"]


MISTAKES = {
    "missing": (["none.avsc"], "none.avsc: cannot be read: No such file or directory (name a schema file)"),
    "directory": (["."], "cannot be read: Is a directory (name a schema file)"),
    "encoding": (["utf16.avsc"], "not UTF-8 at byte 0 (save the schema as UTF-8)"),
    "impossible": (["a\0b"], "not a valid file name"),
    "type": (["o.proto", "--type", "protobf"], "--type: 'protobf' is not known (did you mean 'protobuf'?)"),
    "reference": (["o.proto", "--reference", "a"], "--reference: 'a' is not NAME=FILE (write --reference NAME=FILE)"),
    "reference file": (["o.proto", "--reference", "a=none"], "none: cannot be read: No such file"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_cannot_be_read_is_one_line(name, scanner, file) -> None:
    """Nothing on stdout."""
    arguments, words = MISTAKES[name]
    home = file("o.proto", PROTO).parent
    file("utf16.avsc", AVRO.encode("utf-16"))
    result = scanner("explain", "schema", home / arguments[0], *arguments[1:])

    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert words in result.err


def test_a_file_of_unreasonable_size_is_refused(scanner, file) -> None:
    """A device never ends."""
    path = file("o.avsc", "")
    with path.open("r+b") as out:
        out.truncate(64 * 1024 * 1024 + 1)

    assert "is larger than 64 MiB" in scanner("explain", "schema", path).err


def test_types_of_an_avro_reference_are_read_whatever_it_is_called(scanner, file) -> None:
    """A scan reads them so too: the name of a reference is free."""
    order = '{"type":"record","name":"shop.Order","fields":[{"name":"to","type":"Address"}]}'
    address = '{"type":"record","name":"shop.Address","fields":[{"name":"city","type":"string"}]}'
    reference = f"address.avsc={file('a.avsc', address)}"
    result = scanner("explain", "schema", file("o.avsc", order), "--reference", reference, "--format", "json")

    assert [column["name"] for column in result.json["columns"]] == ["to", "to.city"]
    assert result.json["problems"] == []
