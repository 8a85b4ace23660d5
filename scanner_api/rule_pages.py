"""The pages of rules, from their rows: `scanner explain rule`, and docs/rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanner_check.rows.rule import Rule
from scanner_check.rows.table import RULES as OF_CHANGES
from scanner_dictionary.validation import RULES as OF_SCANS

_OF_SCANS = {
    rule.name: Rule(
        name=rule.name,
        meaning=rule.meaning,
        help=rule.hint,
        example_bad=rule.example_bad,
        example_good=rule.example_good,
        find=rule.find.__module__,
    )
    for rule in OF_SCANS.values()
}

PAGES: Mapping[str, Rule] = dict(sorted({**OF_CHANGES, **_OF_SCANS}.items()))
"""Every rule that has a page, by name."""


def rule_page(name: str) -> str:
    """Return the page of a rule as Markdown."""
    return "\n".join(_lines(PAGES[name])) + "\n"


def index_page() -> str:
    """Return the list of all rules as Markdown."""
    rows = (f"| [`{name}`]({name}.md) | {_reporters(name)} | {rule.meaning} |" for name, rule in PAGES.items())
    return "\n".join(["# Rules", "", "| rule | reported by | meaning |", "|---|---|---|", *rows]) + "\n"


def _reporters(name: str) -> str:
    commands = {"check": OF_CHANGES, "validate": OF_SCANS}
    return ", ".join(f"`scanner {command}`" for command, rules in commands.items() if name in rules)


def _lines(rule: Rule) -> Iterator[str]:
    yield f"# {rule.name}\n\n{rule.meaning}\n\nReported by {_reporters(rule.name)}.\n"
    change = "diff" if rule.example_bad[:2] in ("+ ", "- ", "  ") else "text"
    yield f"## Example\n\nWith a finding:\n\n```{change}\n{rule.example_bad}\n```\n"
    yield f"Without:\n\n```{change}\n{rule.example_good}\n```\n"
    yield f"## What to do\n\n{rule.help[0].upper()}{rule.help[1:]}.\n"
    if rule.steps:
        yield "\n".join(f"{number}. {step}" for number, step in enumerate(rule.steps, 1)) + "\n"
    if rule.name in OF_CHANGES:
        yield "## Accept a finding\n\nEach finding prints its fingerprint."
        yield "Add it to the baseline in a change of its own:\n"
        yield "<!-- not run: the fingerprint is an example -->\n```sh"
        yield "scanner check --accept FINGERPRINT --reason 'agreed with the readers' --until 2027-03-31\n```"
    else:
        yield "## Accept a finding\n\n`scanner validate --rule RULE` selects the rules that count for you."
