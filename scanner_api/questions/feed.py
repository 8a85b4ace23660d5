"""The history of a node as a feed, for programs that read news (RFC 4287, Atom)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from urllib.parse import urlencode
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from scanner_api.dictionary import Dictionary
from scanner_api.questions.changes import HistoryLine, history_lines
from scanner_api.questions.parameters import Node
from scanner_model.text import writable

_ATOM = "http://www.w3.org/2005/Atom"
_SCANS = 100
_NEVER = datetime.fromtimestamp(0, UTC).isoformat()


def history_feed(dictionary: Dictionary, *, node: Node) -> str:
    """Return what each of the last 100 scans that changed *node* changed, as an Atom feed, the newest first.

    Links are relative to the server. Raises as `history_lines`.

    >>> "<entry>" in history_feed(dictionary, node="orders")
    """
    lines = history_lines(dictionary, node=node, limit=None).items
    scans = [tuple(group) for _, group in groupby(lines, key=lambda line: (line.scan, line.finished))]
    newest = list(reversed(scans))[:_SCANS]
    feed = Element("feed", xmlns=_ATOM)
    _describe(feed, f"Changes of {node}", node, newest[0][0].finished if newest else None)
    SubElement(SubElement(feed, "author"), "name").text = "scanner"
    SubElement(feed, "link", href=f"/flow#{urlencode({'node': node})}")
    for changes in newest:
        entry = SubElement(feed, "entry")
        first = changes[0]
        title = f"{len(changes)} changes of {node}" if len(changes) > 1 else _sentence(first)
        _describe(entry, title, f"{node}\n{first.scan}", first.finished)
        SubElement(entry, "link", href=f"/flow#{urlencode({'node': node})}")
        SubElement(entry, "content", type="text").text = _sentences(changes)
    return tostring(feed, encoding="unicode", xml_declaration=True)


def _describe(element: Element, title: str, identity: str, updated: str | None) -> None:
    SubElement(element, "title").text = writable(title)
    SubElement(element, "id").text = f"urn:uuid:{uuid5(NAMESPACE_URL, identity)}"
    SubElement(element, "updated").text = updated or _NEVER


def _sentences(lines: Iterable[HistoryLine]) -> str:
    return "\n".join(map(_sentence, lines))


def _sentence(line: HistoryLine) -> str:
    what = " ".join(filter(None, (line.kind.replace("_", " "), line.name, line.member)))
    return writable(f"{what}: {line.action}")
