"""Files that something deploys or builds, whatever their directory is called: a file under tests/ may be one."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_check.edits.documents import is_document
from scanner_check.edits.libraries import is_build_file
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.sides import mentions
from scanner_extractor.repository.undeclared import TEST, why_harmless

LFS = b"version https://git-lfs.github.com/spec/"
"""What the text begins with that git has of a file in Git LFS."""


def deployed_files(paths: Iterable[str], trees: Trees, objects: ObjectReader) -> frozenset[str]:
    """Return those of *paths* that a kustomization, compose file, script or build file of either commit names.

    Only files of tests that could be deployed are looked up: settings, schemas and statements.
    """
    candidates = {path for path in paths if why_harmless(path) == TEST and _is_deployable(path)}
    if not candidates:
        return frozenset()
    found: set[str] = set()
    for tree in (trees.base, trees.head):
        naming = [path for path in tree if path not in candidates and _may_deploy(path)]
        objects.expect(tree[path] for path in naming)
        for path in naming:
            content = objects.read(tree[path])
            found |= {one for one in candidates - found if one.rpartition("/")[2].encode() in content}
    return frozenset(found)


def _is_deployable(path: str) -> bool:
    return is_document(path) or path.endswith((".proto", ".sql", ".ksql"))


def _may_deploy(path: str) -> bool:
    """Return whether a file says what is deployed or built, by its name, and is not one of tests itself."""
    name = path.rpartition("/")[2].lower()
    is_named = name.startswith("kustomization") or "compose" in name or "dockerfile" in name
    return (is_named or mentions.is_script(path) or is_build_file(path)) and not why_harmless(path)


def in_lfs(path: str, trees: Trees, objects: ObjectReader) -> bool:
    """Return whether git holds only a pointer to a file's content in either commit."""
    return any(objects.read(tree[path]).startswith(LFS) for tree in (trees.base, trees.head) if path in tree)
