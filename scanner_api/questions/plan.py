"""The question for the steps of a migration: what to do in which order so that no reader breaks, and what is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from scanner_api.dictionary import Dictionary
from scanner_api.files import check_directory, write_text
from scanner_api.planning.change import parse_change
from scanner_api.planning.context import PlanContext
from scanner_api.planning.model import MigrationPlan as MigrationPlan
from scanner_api.planning.model import PlanStep as PlanStep
from scanner_api.planning.model import PlanUse as PlanUse
from scanner_api.planning.steps import steps_of
from scanner_api.questions.question import Moment, Parameter
from scanner_check.users.deletion import uncertainties
from scanner_dictionary.queries import history

ChangeText = Annotated[
    str,
    Parameter(
        "rename, remove or retype a column; split a topic, or change its key: 'rename orders.total → gross_amount'.",
        longest=2000,
        argument=True,
        metavar="CHANGE",
    ),
]


def plan(dictionary: Dictionary, *, change: ChangeText, as_of: Moment = None) -> MigrationPlan:
    """Return the steps of *change*, each with its owner and users, the schema to register, and whether it is done.

    Nothing is changed. Each schema is judged by the rules of its registry, after those of the steps before. Raises
    InputInvalid for an invalid change, or one that the registry rejects, NameUnknown for an unknown column or topic.

    >>> [step.title for step in plan(dictionary, change="rename orders.placed_at → ordered_at").steps]
    """
    wanted = parse_change(change)
    with dictionary.as_of(as_of) as dictionary, dictionary.reading() as conn:
        scan = next(iter(history.scans(conn)), None)
        context = PlanContext(dictionary, conn, now=(scan.finished or "") if scan else "")
        place, steps = steps_of(wanted, context)
        doubts = uncertainties(dictionary, place.cluster) if place.cluster else ()
    unknown = [*context.notes, *(f"{doubt.kind} {doubt.name}: {doubt.what}" for doubt in doubts)]
    unseen = sorted({use.name for step in steps for use in step.uses if use.use == "unknown"})
    if unseen and place.path:
        unknown.append(f"Which fields they read is not known: {', '.join(unseen)}. Ask, or scan their repositories.")
    return MigrationPlan(
        change=str(wanted),
        cluster=place.cluster,
        owner=place.owner,
        scan=scan.id if scan else 0,
        finished=(scan.finished or "") if scan else "",
        complete=not doubts,
        steps=tuple(replace(step, number=number) for number, step in enumerate(steps, 1)),
        unknown=tuple(unknown),
    )


_ENDINGS = {"AVRO": "avsc", "PROTOBUF": "proto"}


def write_plan_schemas(plan: MigrationPlan, directory: Path) -> tuple[Path, ...]:
    """Write the schemas that open steps register, each as *directory*/STEP/SUBJECT.avsc, which `scanner check` reads.

    Raises InputInvalid where it cannot be written.
    """
    files = []
    for step in plan.steps:
        if step.schema:
            within = check_directory(directory / str(step.number), "--schemas")
            name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in step.subject)
            files.append(within / f"{name}.{_ENDINGS.get(step.format, 'json')}")
            write_text(files[-1], step.schema)
    return tuple(files)
