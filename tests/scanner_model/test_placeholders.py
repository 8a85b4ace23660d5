"""What another program replaces is told apart from names that only have a dollar sign."""

from __future__ import annotations

import pytest

from scanner_model.text import has_placeholder


@pytest.mark.parametrize(
    "name",
    [
        "$TOPIC",
        "${TOPIC}",
        "${file:/x:y}",
        "$(TOPIC)",
        "{{ topic }}",
        "a.$T",
        "a_$T",
        "<% t %>",
        "<TOPIC>",
        "a.<add_your_key>",
    ],
)
def test_placeholder_is_found(name: str) -> None:
    """Each is of a program that deploys: a shell, Kubernetes, Helm, a worker's provider, jikkou."""
    assert has_placeholder(name)


@pytest.mark.parametrize("name", ["orders", "V$SESSION", "a$", "$1", "price in $", "{a}", "", "(?<name>a)", "a<b>"])
def test_dollar_in_a_name_is_none(name: str) -> None:
    """Oracle's views are called so."""
    assert not has_placeholder(name)
