"""Protobuf schemas (.proto texts) to columns; what is read how is in docs/concepts/dictionary.md."""

from __future__ import annotations

from scanner_extractor.formats.protobuf.reader import protobuf_fields

__all__ = ["protobuf_fields"]
