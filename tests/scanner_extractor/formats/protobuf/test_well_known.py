"""Google's own files from descriptors: they declare what the compiler's texts do, and the compiler is optional."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from grpc_tools import _protoc_compiler

from scanner_extractor.formats.protobuf import protobuf_fields
from scanner_extractor.formats.protobuf.declarations import Message, ProtoFile, Scopes, declared
from scanner_extractor.formats.protobuf.files import well_known_text
from scanner_extractor.formats.protobuf.parser import parse_proto

TEXTS = Path(_protoc_compiler.__file__).parent / "_proto"
NAMES = sorted(str(file.relative_to(TEXTS)) for file in TEXTS.rglob("*.proto"))
OPTIONS = [name for name in NAMES if name.endswith("_features.proto")]


def declarations(file: ProtoFile) -> set[object]:
    """Return types and fields by full name; a type of another file by its last name, as texts abbreviate it."""
    scopes = Scopes({"": file})
    rows: set[object] = set()
    for type_ in declared("", file):
        rows.add((type_.name, type_.presence))
        for field in type_.body.fields if isinstance(type_.body, Message) else ():
            known = scopes.find(field.type, type_)
            kind = known.name if known else field.type.rpartition(".")[2]
            rows.add((type_.name, field.name, field.number, kind, field.label, field.presence, field.default))
    return rows


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(OPTIONS)))
def test_descriptor_declares_what_the_compilers_text_does(name: str) -> None:
    """The packages have versions of their own: a newer descriptor may have more, never less or other."""
    theirs, ours = parse_proto((TEXTS / name).read_text(encoding="utf-8")), parse_proto(well_known_text(name) or "")

    assert ours.problems == ()
    assert (ours.package, ours.imports, ours.presence) == (theirs.package, theirs.imports, theirs.presence)
    assert declarations(theirs) <= declarations(ours)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_the_compiler_can_be_imported(name: str) -> None:
    """Files that declare only options are empty, as no column has a type of theirs."""
    parsed = protobuf_fields(f'syntax = "proto3"; import "{name}"; message A {{ }}', lambda _: None, None)

    assert parsed.problems == ()


@pytest.mark.parametrize("name", ["google/protobuf/none.proto", "google/protobuf/../any.proto", "google/protobuf/"])
def test_other_names_are_no_files(name: str) -> None:
    """A name is looked up in a table, never on a disk."""
    assert well_known_text(name) is None


def test_schema_is_read_where_the_compiler_is_not_installed() -> None:
    """It is a second opinion, whose error alone is missing."""
    program = """
import sys
sys.modules["grpc_tools"] = None
from scanner_extractor.formats.protobuf import protobuf_fields
text = 'import "google/protobuf/struct.proto"; message A { google.protobuf.Value v = 1; int32 v = 2; }'
print(protobuf_fields('syntax = "proto3"; ' + text, lambda _: None, None))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "google.protobuf.Value" in ran.stdout
    assert "protoc" not in ran.stdout
