"""The question what uncommitted changes of a repository break."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from scanner_api.dictionary import Dictionary
from scanner_api.questions.changes import ChangeCheck, checked
from scanner_api.questions.question import Parameter
from scanner_check import work_tree
from scanner_check.report import report_document


def check_work_tree(
    dictionary: Dictionary,
    *,
    directory: Annotated[str, Parameter("The absolute path of the repository, or of a directory in it.", longest=4096)],
    limit: Annotated[int, Parameter("How many findings, and affected of each.", least=1, most=5_000)] = 500,
) -> ChangeCheck:
    """Check the changes of a repository since HEAD, committed or not, by its files and by *dictionary*.

    Raises InputInvalid if *directory* is in no repository with a commit.
    """
    report = work_tree.check_work_tree(Path(directory), dictionary=dictionary)
    return checked(report_document(report), limit)
