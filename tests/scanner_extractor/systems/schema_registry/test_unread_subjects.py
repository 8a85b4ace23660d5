"""What is said of subjects that could not be read: one line each, or one for many that failed alike."""

from scanner_extractor.registries.result import unread_subjects
from scanner_model.errors import NotFound, SourceUnreachable
from scanner_model.names import SourceId

SOURCE = SourceId("schema_registry:https://sr")


def dead(subject: str) -> tuple[str, SourceUnreachable]:
    return subject, SourceUnreachable("connection refused", where=f"GET https://sr/{subject}", hint="is it running?")


def test_few_subjects_are_reported_one_by_one() -> None:
    """Each has its own address."""
    gathered = unread_subjects(SOURCE, [dead("a"), dead("b")])

    assert [problem.where for problem in gathered.problems] == [f"{SOURCE} 'a'", f"{SOURCE} 'b'"]


def test_many_that_failed_alike_are_one_line_with_the_first_names() -> None:
    """A registry that went away must not bury everything else that a report says."""
    gathered = unread_subjects(SOURCE, [dead(f"s{number}") for number in range(300)])
    (problem,) = gathered.problems

    assert problem.where == SOURCE
    assert problem.what == "300 subjects could not be read: connection refused ('s0', 's1', 's2' and 297 more)"
    assert len(gathered.unread) == 300


def test_subjects_that_vanished_are_not_unread_however_many() -> None:
    """They were listed and are not there: the next scan will not list them."""
    gathered = unread_subjects(SOURCE, [(f"s{number}", NotFound("not found", status=404)) for number in range(9)])

    assert gathered.unread == {}
    assert len(gathered.problems) == 1
    assert "it was listed" in gathered.problems[0].what
