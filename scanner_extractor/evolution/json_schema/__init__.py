"""JSON Schema's evolution as Confluent's registry judges it: whether documents that one schema allows, another allows.

Sources: Confluent's documentation, "JSON Schema compatibility rules" (open, closed and partially open content models),
and recorded answers of registries 8.3.1 and 8.5.0; the words for differences are the registry's.
"""

from __future__ import annotations

from scanner_extractor.evolution.differences import Difference, Effort, Rules, SchemaText
from scanner_extractor.evolution.json_schema.comparison import REPEATED, Comparison
from scanner_extractor.evolution.json_schema.nodes import Schemas

_LENIENT = frozenset(
    f"{keyword}_PROPERTIES_{change}" for keyword in ("ADDITIONAL", "UNEVALUATED") for change in ("NARROWED", "REMOVED")
) | {
    "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
    "REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL",
    "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL",
    "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
    "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
}
"""What the compatibility policy LENIENT accepts."""


def differences(reader: SchemaText, writer: SchemaText, rules: Rules) -> tuple[Difference, ...]:
    """Return why *reader* does not allow every document that *writer* allows; empty where it does.

    Raises InputInvalid for invalid JSON, TooMuchEffort where the comparison takes too many steps.
    """
    old, new = Schemas(writer).root, Schemas(reader).root
    accepted = _LENIENT if rules.lenient else frozenset()
    effort = Effort()
    # A pair of schemas inside itself is taken to agree. Where it turns out not to, what was concluded from that is
    # compared again, until nothing changes.
    known: dict[tuple[object, object], bool] = {}
    while True:
        comparison = Comparison(accepted, effort, known)
        found = comparison.compare(old, new)
        differing = comparison.differing
        if not comparison.assumed or differing == known:
            return tuple(difference for difference in found if difference.rule != REPEATED) or found
        known = differing
