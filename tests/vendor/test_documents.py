"""Documents that are exported, judged by validators of data contracts and of AsyncAPI."""

from __future__ import annotations

import io

import pytest
import yaml

import scanner_api

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.xdist_group("vendor-documents")]


@pytest.fixture(scope="module")
def texts(odd_and_retail):
    """Return a function: a format → the text of each document of the example and of odd things."""

    def written(format: str) -> list[str]:
        stream = io.StringIO()
        scanner_api.export(odd_and_retail, stream, format=format)
        return [text for text in stream.getvalue().split("---\n") if text.strip()]

    return written


def test_every_contract_passes_the_standard_s_linter(texts, judged) -> None:
    contracts = texts("odcs")

    assert judged("contracts", "contracts", contracts) == []
    assert len(contracts) > 25


def test_every_document_is_valid_asyncapi(texts, judged) -> None:
    documents = [yaml.safe_load(text) for text in texts("asyncapi")]

    assert judged("asyncapi", "asyncapi", documents) == []
    assert len(documents) == 2


def test_judges_find_errors(judged) -> None:
    """A judge that accepts everything would prove nothing."""
    contract = {"apiVersion": "v3.2.0", "kind": "DataContract", "id": 1, "version": "1", "colour": "red"}
    document = {"asyncapi": "3.0.0", "info": {"title": 3}, "channels": {"a": {"colour": "red"}}}

    assert judged("contracts", "contracts", [yaml.safe_dump(contract)])
    assert "colour" in " ".join(judged("asyncapi", "asyncapi", [document]))
