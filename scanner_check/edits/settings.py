"""Edits of settings files: a path and two values, for each value that two texts of a file do not share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanner_check.edits.documents import ITEM, Document, Leaf, read_documents
from scanner_check.edits.statements import code_of
from scanner_model.redaction import MASK
from scanner_model.redaction.names import is_secret_name
from scanner_model.redaction.statements import is_secret_setting
from scanner_model.redaction.texts import mask_text

_LONGEST = 80
_STATEMENT = re.compile(r"(?i)\s*(?:CREATE|INSERT|SELECT|WITH|SET|USE|EXECUTE)\s")


class Setting(NamedTuple):
    """What differs in a settings file: *before* is None if the value is new, *after* if it is gone.

    *document* is the document of the second text, or of the first if that is gone. *is_added*: the whole document is
    new, *is_removed*: it is gone. A value that names an entry, such as `value` of an environment variable, has the name
    of the entry in its *path*.
    """

    path: tuple[str, ...]
    before: str | None
    after: str | None
    line: int
    document: Document
    is_added: bool = False
    is_removed: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the path with the names of entries in place of `name=…`, and without places in lists."""
        plain = tuple(key.partition("=")[2] if "=" in key else key for key in self.path if key != ITEM)
        return plain[:-1] if len(plain) > 1 and plain[-1] in ("value", "default") else plain

    @property
    def values(self) -> tuple[str, ...]:
        """Return the values that are there."""
        return tuple(value for value in (self.before, self.after) if value is not None)

    @property
    def shown(self) -> str:
        """Return key and values, for people; the values of a secret are masked."""
        name = ".".join(key for key in self.keys[:-1] if key.lower() != "authorization")
        name = ".".join((name, *self.keys[-1:]))  # the secret of that name is a value, not what is below it
        old, new = (
            "(unset)" if value is None else _masked(name, value)[:_LONGEST] or "(empty)"
            for value in (self.before, self.after)
        )
        return f"{'.'.join(self.keys[-2:])}: {old} → {new}"


def _masked(name: str, value: str) -> str:
    return MASK if is_secret_setting(name, value) or is_secret_name(name) else mask_text(" ".join(value.split()))


def setting_edits(path: str, before: str, after: str) -> list[Setting] | None:
    """Return what differs between two texts of a settings file; None if either cannot be parsed."""
    old, new = read_documents(path, before), read_documents(path, after)
    if old is None or new is None:
        return None
    edits: list[Setting] = []
    for one, other in _pairs(old, new):
        edits += (edit for edit in _document_edits(one, other) if not _only_laid_out(edit))
    return edits


def _only_laid_out(edit: Setting) -> bool:
    """Return whether a value is a statement of SQL that has the same words in another layout."""
    before, after = edit.before or "", edit.after or ""
    if not (_STATEMENT.match(before) and _STATEMENT.match(after)):
        return False
    return code_of(before) == code_of(after)


def _pairs(old: Sequence[Document], new: Sequence[Document]) -> Iterator[tuple[Document | None, Document | None]]:
    """Yield the documents of both texts together: those of one object, then equal ones, then by their place."""
    left: dict[tuple[str, ...], list[Document]] = {}
    for document in old:
        left.setdefault(_identity(document), []).append(document)
    unpaired: list[Document] = []
    for document in new:
        alike = left.get(_identity(document), [])
        same = next((at for at, one in enumerate(alike) if _values(one) == _values(document)), None)
        if same is not None:
            alike.pop(same)
        else:
            unpaired.append(document)
    for document in unpaired:
        alike = left.get(_identity(document), [])
        yield (alike.pop(0) if alike else None), document
    yield from ((document, None) for alike in left.values() for document in alike)


def patched_settings(edit: Setting) -> list[Setting]:
    """Return what differs between two texts of one inline patch, as edits of the object that it is for.

    It is one of the kinds of Kustomize: operations on paths (RFC 6902), or a part of the object. Empty if a patch is
    added or gone, or if it is not said which object it is for.
    """
    if edit.before is None or edit.after is None:
        return []
    operations = [_operations(text) for text in (edit.before, edit.after)]
    if any(one is None for one in operations):
        listed = setting_edits("patch.yaml", edit.before, edit.after) or []
        return [one for one in listed if one.document.kind and one.document.name]
    target = {leaf.path[-1]: leaf.value for leaf in edit.document.leaves if leaf.path[-2:-1] == ("target",)}
    targets = [leaf for leaf in edit.document.leaves if leaf.path[-2:] == ("target", "kind")]
    if len(targets) != 1:
        return []
    object = Document((), api=target.get("group", "") or "v1", kind=target["kind"], name=target.get("name", ""))
    before, after = (one or {} for one in operations)
    return [
        Setting(path, before.get(path), after.get(path), edit.line, object)
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


def _operations(text: str) -> dict[tuple[str, ...], str] | None:
    """Return the values that the operations of a patch set, by path; None for any other text."""
    found: dict[tuple[str, ...], str] = {}
    for document in read_documents("patch.yaml", text) or ():
        members: dict[str, str] = {}
        for leaf in (*document.leaves, Leaf((ITEM, "op"), "", 0)):
            if leaf.path[:1] != (ITEM,) or len(leaf.path) != 2:
                return None
            if leaf.path[1] in members or not leaf.line:  # the next one begins
                keys = members.get("path", "").strip("/").split("/")
                path = tuple(ITEM if key.isdigit() or key == "-" else key for key in keys)
                found[path] = f"{members.get('value', '')}" if members.get("op") != "remove" else "(removed)"
                members = {}
            members[leaf.path[1]] = leaf.value
    return found or None


def is_same_object(one: Document, other: Document) -> bool:
    """Return whether two documents describe one object of Kubernetes, and have the same values."""
    return bool(one.kind and one.name) and _identity(one) == _identity(other) and _values(one) == _values(other)


def _identity(document: Document) -> tuple[str, ...]:
    return document.api.partition("/")[0], document.kind, document.name


def _values(document: Document) -> list[tuple[tuple[str, ...], str]]:
    """Return the values by their paths; those of a list keep their order."""
    return sorted(((leaf.path, leaf.value) for leaf in document.leaves), key=lambda pair: pair[0])


def _document_edits(old: Document | None, new: Document | None) -> Iterator[Setting]:
    before, after = old.leaves if old else (), new.leaves if new else ()
    gone, come = _only_in(before, after), _only_in(after, before)
    document = new or old
    assert document is not None
    removed: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in gone:
        removed.setdefault(leaf.path, []).append(leaf)
    state = (old is None, new is None)
    for leaf in come:
        former = removed.get(leaf.path)
        was = former.pop(0).value if former else None
        yield Setting(leaf.path, was, leaf.value, leaf.line, document, *state)
    for left in removed.values():
        for leaf in left:
            line = leaf.line if new is None else _line_near(leaf, new)
            yield Setting(leaf.path, leaf.value, None, line, document, *state)
    if not gone and not come:
        yield from _moved_items(before, after, document)


def _line_near(leaf: Leaf, document: Document) -> int:
    """Return the line of what is around a value that is gone: of the nearest value with the longest equal path."""
    for length in range(len(leaf.path) - 1, 0, -1):
        near = [other.line for other in document.leaves if other.path[:length] == leaf.path[:length]]
        if near:
            return near[0]
    return document.line


def _moved_items(before: Sequence[Leaf], after: Sequence[Leaf], document: Document) -> Iterator[Setting]:
    """Yield the first item of each list whose items have another order."""
    old, new = (_by_path([leaf for leaf in leaves if leaf.path[-1:] == (ITEM,)]) for leaves in (before, after))
    for path, leaves in new.items():
        former = old.get(path, [])
        moved = [pair for pair in zip(former, leaves, strict=False) if pair[0].value != pair[1].value]
        if moved:
            was, now = moved[0]
            yield Setting(path, was.value, now.value, now.line, document)


def _by_path(leaves: Sequence[Leaf]) -> dict[tuple[str, ...], list[Leaf]]:
    found: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in leaves:
        found.setdefault(leaf.path, []).append(leaf)
    return found


def _only_in(leaves: Sequence[Leaf], others: Sequence[Leaf]) -> list[Leaf]:
    left = Counter((leaf.path, leaf.value) for leaf in leaves)
    left.subtract((leaf.path, leaf.value) for leaf in others)
    chosen = []
    for leaf in reversed(leaves):  # of equal items the last ones are the further ones
        if left[leaf.path, leaf.value] > 0:
            left[leaf.path, leaf.value] -= 1
            chosen.append(leaf)
    return chosen[::-1]
