"""Patterns of paths in files of others: `.gitignore`, CODEOWNERS, settings of repositories. Source: gitignore(5)."""

from __future__ import annotations

import re

from scanner_model.linear_patterns import InvalidPattern, LinearPattern


def glob_pattern(pattern: str) -> LinearPattern | None:
    """Return the matcher of a pattern of paths; None if a set of characters in it is invalid: then no path fits."""
    return _compiled(glob_expression(pattern))


def owned_pattern(pattern: str) -> LinearPattern | None:
    """Return the matcher of a pattern of CODEOWNERS, which covers what is below it; None if it is invalid.

    With a slash inside it, a pattern is that of a path from the top. Stars of two alone match slashes, too.
    """
    anchored = "/" in pattern.rstrip("/")
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.strip("/"))
    body = "".join(_WILDCARDS.get(part) or re.escape(part) for part in parts)
    end = "/.*" if pattern.endswith("/") else "" if pattern.endswith("/*") else "(?:/.*)?"
    return _compiled(f"{'' if anchored else '(?:.*/)?'}{body}{end}")


def glob_expression(pattern: str) -> str:
    """Return the expression of a pattern of paths, to be compiled as a LinearPattern only: Python's `re` backtracks."""
    body = pattern.removesuffix("/**")
    runs = body.split("**/")
    return "(?:[^/]+/)*".join(map(_run, runs)) + ("/.+" if body != pattern else "")


_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _run(text: str) -> str:
    """Return the expression of a part without `**/`."""
    return "[^/]*".join(map(_fixed, re.split(r"\*+", text)))


def _fixed(text: str) -> str:
    return "/".join(map(_fixed_step, text.split("/")))


def _fixed_step(text: str) -> str:
    """Return the expression of one step of a path; behind the last closing bracket no opening one begins a class."""
    parts: list[str] = []
    behind = text.rfind("]") + 1
    pieces = re.split(r"(\?|\[[^\]]*+\]|\\.)", text[:behind]) + re.split(r"(\?|\\.)", text[behind:])
    for piece in pieces:
        if piece == "?":
            parts.append("[^/]")
        elif piece.startswith("[") and len(piece) > 2:
            inside = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
            parts.append("[" + ("^" + inside[1:] if inside[0] == "!" else inside) + "]")
        else:
            parts.append(re.escape(piece[1:] if piece.startswith("\\") else piece))
    return "".join(parts)


def _compiled(expression: str) -> LinearPattern | None:
    try:
        return LinearPattern(expression)
    except InvalidPattern:
        return None
