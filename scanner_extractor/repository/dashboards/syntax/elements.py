"""Elements of XML files of dashboards: bounded, without entities of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

_DEEPEST = 200


class InvalidXml(Exception):
    """Raised for invalid XML, and for a document that declares entities."""


@dataclass(slots=True)
class Element:
    """An element with its attributes, children and text; a prefix of its tag that ends in `...` is left out."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def child(self, tag: str) -> Element | None:
        """Return its first child of a tag; None without one."""
        return next((one for one in self.children if one.tag == tag), None)

    def inside(self, outer: str, tag: str) -> list[Element]:
        """Return the children *tag* of its children *outer*."""
        return [one for parent in self.children if parent.tag == outer for one in parent.children if one.tag == tag]

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the elements of a tag at any depth."""
        for one in self.children:
            if one.tag == tag:
                yield one
            yield from one.all(tag)


def parse_xml(text: str) -> Element:
    """Parse a document; raises InvalidXml."""
    top = Element("", {})
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > _DEEPEST:
            raise InvalidXml("it is nested too deeply")
        stack[-1].children.append(Element(name.rpartition("...")[2], attributes))
        stack.append(stack[-1].children[-1])

    def end(_name: str) -> None:
        stack[-1].text = "".join(texts.pop(len(stack), ()))
        stack.pop()

    texts: dict[int, list[str]] = {}

    def characters(part: str) -> None:
        texts.setdefault(len(stack), []).append(part)

    def refuse(*_declared: object) -> NoReturn:
        raise InvalidXml("it declares entities")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.lstrip("\ufeff \r\n\t").encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise InvalidXml(str(error)) from error
    return top.children[0] if top.children else top
