"""Notebooks are programs of their code cells; places are those of the notebook."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.repository.notebooks import code_of
from scanner_model.manual import DeclaredFlow


def notebook(*cells: tuple[str, list[str]], language: str = "python") -> str:
    listed = [{"cell_type": kind, "metadata": {}, "outputs": [], "source": lines} for kind, lines in cells]
    return json.dumps({"cells": listed, "metadata": {"language_info": {"name": language}}, "nbformat": 4}, indent=1)


SENDING = ["from kafka import KafkaProducer\n", "p = KafkaProducer(bootstrap_servers='k')\n", "p.send('orders', b'')\n"]


def test_code_cells_are_read_with_lines_of_the_notebook(read_repository):
    text = notebook(("markdown", ["# p.send('other', b'')\n"]), ("code", ["%pip install kafka\n"]), ("code", SENDING))
    (flow,) = read_repository({"work/a.ipynb": text}).of(DeclaredFlow)

    line = next(number for number, line in enumerate(text.splitlines(), 1) if "send('orders'" in line)
    assert (flow.target.name, flow.evidence) == ("orders", f"work/a.ipynb:{line}")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"cells": [1]}', '{"cells": [{"cell_type": "code"}]}', notebook(language="r")]
)
def test_what_is_no_notebook_of_a_known_language_has_no_code(text):
    assert code_of("a.ipynb", text) is None


def test_a_cell_of_another_language_is_left_out():
    assert code_of("a.ipynb", notebook(("code", ["%%sql\n", "SELECT 1\n"]))) == (".py", "")


def test_all_cells_of_a_notebook_on_one_line_are_read():
    text = json.dumps(json.loads(notebook(("code", ["a = 1\n", "b = 2\n"]), ("code", ["c = 3\n"]))))

    assert code_of("a.ipynb", text) == (".py", "a = 1\nb = 2\nc = 3")
