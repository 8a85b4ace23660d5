"""Each version of a schema that a repository keeps is compared with its own former self."""

from __future__ import annotations

import pytest

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

OLD = """title: shop/order
$id: /shop/order/1.0.0
$schema: https://json-schema.org/draft-07/schema#
type: object
additionalProperties: false
properties:
  id: {type: integer}
required: [id]
examples:
  - id: 1
"""
NEW = (
    OLD.replace("1.0.0", "2.0.0").replace("  id: {", "  total: {type: number}\n  id: {").replace("[id]", "[id, total]")
)
FILES = {"schemas/shop/order/1.0.0.yaml": OLD, "schemas/shop/order/2.0.0.yaml": NEW}


def test_other_words_in_an_old_version_are_fine(check) -> None:
    """The newest version has what a reader of the old one rejects, which the change has nothing to do with."""
    files = {path: text.replace("- id: 1", "- id: 7") for path, text in FILES.items()}

    assert check(files, FILES).verdict is Verdict.FINE


def test_other_content_in_an_old_version_is_not_fine(check) -> None:
    path = "schemas/shop/order/1.0.0.yaml"

    assert check({path: OLD.replace("integer", "string")}, FILES).verdict is not Verdict.FINE


PARCEL = """{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Parcel", "type": "object",
 "properties": {"id": {"type": "string"}, "size": {"$ref": "size.json"}}}
"""
SIZE = PARCEL.replace("Parcel", "Size").replace(', "size": {"$ref": "size.json"}', "")


def test_a_new_reference_leads_to_the_text_of_its_own_commit(check) -> None:
    """What the schema newly refers to is in no version of before."""
    base = {"schemas/parcel.json": PARCEL, "schemas/size.json": SIZE}
    head = {"schemas/parcel.json": PARCEL.replace("size.json", "extent.json"), "schemas/extent.json": SIZE}

    assert "not-compared" not in {finding.rule for finding in check(head, base).findings if finding.counts}


def test_a_new_version_beside_the_current_text_is_no_forgotten_copy(check) -> None:
    """The older version stays as it was; the current text and its new version are the same."""
    base = {"schemas/shop/order/1.0.0.yaml": OLD, "schemas/shop/order/current.yaml": OLD}
    new = OLD.replace("1.0.0", "1.1.0").replace("  id: {", "  note: {type: string}\n  id: {")
    head = {"schemas/shop/order/1.1.0.yaml": new, "schemas/shop/order/current.yaml": new}

    assert check(head, base).verdict is Verdict.FINE
    assert check({"schemas/shop/order/current.yaml": new}, base).verdict is Verdict.IMPACT
