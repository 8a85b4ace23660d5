"""A migration plan as Markdown for an issue: a task for each step, with its users and the schema to register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scanner_model.markdown import code, inert, sentence
from scanner_model.text import visible

if TYPE_CHECKING:
    from scanner_api.questions.plan import MigrationPlan, PlanStep, PlanUse

_SIGNS: Mapping[str, str] = {"done": "x", "open": " ", "unknown": " "}
_LANGUAGES = {"{": "json", "[": "json"}
_HEAD = "\n  | who | use | owner | where | last seen | lag | status |\n  |---|---|---|---|---|---|---|\n"


def plan_markdown(plan: MigrationPlan, *, brief: bool = False) -> str:
    """Return the plan; if *brief*, a line for each step with its status."""
    return "".join(_parts(plan, brief))


def _parts(plan: MigrationPlan, brief: bool) -> Iterator[str]:
    done = sum(step.status == "done" for step in plan.steps)
    where = f"Cluster {code(plan.cluster)}, scan" if plan.cluster else "Scan"
    owner = f"owner {inert(plan.owner)}" if plan.owner else "owner unknown"
    yield f"# Plan: {inert(plan.change)}\n\n"
    yield f"{done} of {len(plan.steps)} steps done. {where} {plan.scan} of {plan.finished[:16]}, {owner}.\n\n"
    if plan.unknown and not brief:
        yield "**Not known:**\n\n" + "".join(f"- {sentence(text)}\n" for text in plan.unknown) + "\n"
    for step in plan.steps:
        yield _task(step)
        if not brief:
            yield from _details(step)


def _task(step: PlanStep) -> str:
    owner = f" ({inert(step.owner)})" if step.owner else ""
    status = " *(not known)*" if step.status == "unknown" else ""
    why = f": {sentence(step.why)}" if step.why else ""
    return f"- [{_SIGNS[step.status]}] **{step.number}. {inert(step.title)}**{owner}{status}{why}\n"


def _details(step: PlanStep) -> Iterator[str]:
    if step.rejected:
        yield f"\n  The subject's level rejects this: {sentence(step.rejected)}. "
        yield f"Set it to {code(step.level)} for this step.\n"
    if step.passes:
        yield f"\n  Passes {', '.join(map(code, step.passes))}.\n"
    if step.added:
        language = _LANGUAGES.get(step.added[:1], "proto")
        lines = "".join(f"  {line}\n" for line in visible(step.added, lines=True).replace("```", "'''").splitlines())
        yield f"\n  ```{language}\n{lines}  ```\n"
    if step.uses:
        yield _HEAD + "".join(map(_row, step.uses))
    if step.rejected or step.passes or step.added or step.uses:
        yield "\n"


def _row(use: PlanUse) -> str:
    lag = "" if use.lag is None else f"{use.lag:g}"
    places = "; ".join(use.places[:3]) + (" …" if len(use.places) > 3 else "")
    cells = (f"{use.kind} {use.name}", use.use, use.owner, places, use.last_seen[:16], lag, use.status)
    return f"  | {' | '.join(inert(cell).replace(chr(10), ' ') for cell in cells)} |\n"
