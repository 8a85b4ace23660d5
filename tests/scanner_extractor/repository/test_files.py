"""Files in the encodings that editors write."""

from __future__ import annotations

import pytest

STREAM = "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_file_is_read_in_the_encoding_that_it_shows(read_repository, tmp_path, encoding):
    (tmp_path / "a.ksql").write_bytes(f"-- café\r\n{STREAM}".encode(encoding))
    assert [entry.name for entry in read_repository({}).result.declared.declarations] == ["t"]


def test_a_file_whose_encoding_does_not_show_is_left_with_the_reason(read_repository, tmp_path):
    for name in ("a.ksql", "b.avsc", "logo.png"):
        (tmp_path / name).write_bytes(STREAM.encode("utf-16-le"))
    unread = read_repository({}).result.unread
    assert [each.name for each in unread] == ["a.ksql", "b.avsc"]
    assert "encoding" in unread[0].reason
