"""Placeholders in configurations, statements and deployment files: a name with one is the name of nothing yet."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"\$\{[^{}]*\}|\$\([\w.-]+\)|\{\{[^{}]*\}\}|\{%[^%]*%\}|<%[^%]*%>|(?<![A-Za-z0-9])\$[A-Za-z_]\w*"
    r"|(?<![\w?(<])<[A-Za-z][\w .-]*>"
)


def has_placeholder(name: str) -> bool:
    """Check whether *name* has a part that another program, or a person, replaces.

    Such as `${…}`, `$NAME`, `$(…)`, `{{ … }}`, `<% … %>`, `<NAME>`.
    No name of a topic has one: Kafka permits letters, digits, dots, dashes and underscores.
    """
    return _PLACEHOLDER.search(name) is not None
