"""A descriptor in base64 has the columns, the evolution and the declarations of the text that it was compiled from."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DESCRIPTOR, FileDescriptorProto, FileDescriptorSet
from google.protobuf.struct_pb2 import DESCRIPTOR as STRUCT
from google.protobuf.timestamp_pb2 import DESCRIPTOR as TIMESTAMP
from google.protobuf.type_pb2 import DESCRIPTOR as TYPE

from scanner_extractor.evolution import SchemaText, differences, uncompared
from scanner_extractor.formats.protobuf.descriptors import descriptor_text
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_extractor.formats.protobuf.reader import protobuf_fields

TEXT = """syntax = "proto3"; package shop.v1; import "google/protobuf/timestamp.proto";
message Order {
  string id = 1; optional int64 total = 2; repeated Line lines = 3; map<string, int32> counts = 4;
  oneof payment { string card = 5 [json_name = "CARD"]; Voucher voucher = 6; }
  google.protobuf.Timestamp at = 7; State state_now = 8;
  message Line { string sku = 1; reserved 2, 4 to 6; reserved "price"; }
  enum State { NEW = 0; PAID = 1; reserved 3; }
}
message Voucher { string code = 1; }
service Orders { rpc Get (Voucher) returns (stream Order); }
"""


def compiled(text: str, tmp_path: Path) -> bytes:
    protoc = pytest.importorskip("grpc_tools.protoc")
    (tmp_path / "order.proto").write_text(text)
    includes = [f"-I{tmp_path}", f"-I{Path(protoc.__file__).parent / '_proto'}"]
    assert protoc.main(["protoc", *includes, f"--descriptor_set_out={tmp_path / 'out'}", "order.proto"]) == 0
    return FileDescriptorSet.FromString((tmp_path / "out").read_bytes()).file[0].SerializeToString()


def test_a_descriptor_is_the_text_that_it_was_compiled_from(tmp_path):
    encoded = base64.b64encode(compiled(TEXT, tmp_path)).decode()

    text, descriptor = protobuf_fields(TEXT, {}.get), protobuf_fields(encoded, {}.get)
    assert descriptor.columns == text.columns
    assert (descriptor.name, descriptor.problems) == (text.name, ())
    for pair in ((encoded, TEXT), (TEXT, encoded)):
        reader, writer = map(SchemaText, pair)
        assert differences("PROTOBUF", reader, writer) == ()
        assert uncompared("PROTOBUF", reader, writer) == ()


@pytest.mark.parametrize("file", [DESCRIPTOR, STRUCT, TIMESTAMP, TYPE], ids=lambda file: file.name)
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
def test_every_way_to_write_base64_is_read(file, encode):
    own = FileDescriptorProto()
    file.CopyToProto(own)
    text = descriptor_text(own)

    assert parse_proto(encode(own.SerializeToString()).decode()) == parse_proto(text)
    assert parse_proto(text).types


@pytest.mark.parametrize("text", ["abcdefghijklmnop", "message", "c29tZSB0ZXh0IHRoYXQgaXMgbm90IG9uZQ==", ""])
def test_other_texts_are_no_descriptors(text):
    assert parse_proto(text).types == ()


@pytest.mark.parametrize("unread", ["reader", "writer"])
def test_nothing_is_certain_if_a_part_of_a_text_is_not_read(unread):
    whole, part = "message A { int32 a = 1; }", "package x; message A { string b == 1; }"
    reader, writer = map(SchemaText, (part, whole) if unread == "reader" else (whole, part))

    found = differences("PROTOBUF", reader, writer)
    assert found
    assert not any(difference.certain for difference in found)
