"""What `SchemaReader` says of a value is what the validator says; where it cannot tell, it says so."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from scanner_extractor.config.loader import cluster_schema
from scanner_model.documents.schema_errors import SchemaReader

NAMES = st.sampled_from(["a", "b", "type"])
TEXTS = st.sampled_from(["", "a", "b", "kafka:9092", "A b"])
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(-2, 3), st.sampled_from([0.5, 1.0]), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
KINDS = st.sampled_from(["object", "array", "string", "boolean", "integer", "number", "null"])
SMALL = st.integers(0, 2)
LIMITS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum")


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    below = st.dictionaries(NAMES, inner, max_size=2)
    some = st.lists(inner, min_size=1, max_size=2)
    rules: dict[str, st.SearchStrategy[Any]] = {
        "type": st.one_of(KINDS, st.lists(KINDS, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "const": SCALARS,
        "required": st.lists(NAMES, max_size=2, unique=True),
        "properties": below,
        "additionalProperties": inner,
        "propertyNames": inner,
        "items": inner,
        "anyOf": some,
        "allOf": some,
        "oneOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2),
        "dependentSchemas": below,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "e$"]), inner, max_size=1),
        "pattern": st.sampled_from(["^a", "b$", ":"]),
        "format": st.sampled_from(["address", "other"]),
        "uniqueItems": st.booleans(),
        "title": TEXTS,
        "$ref": st.sampled_from(["#/$defs/text", "#/$defs/many/items", "#/$defs/many"]),
        **dict.fromkeys((*LIMITS, "exclusiveMinimum", "exclusiveMaximum"), SMALL),
    }
    chosen = st.lists(st.sampled_from(sorted(rules)), max_size=4, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: rules[name] for name in names}))


SCHEMAS = st.recursive(st.booleans(), keywords, max_leaves=6)
FORMATS = {"address": lambda text: ":" in text}


def validator_for(schema: dict[str, Any]) -> Draft202012Validator:
    checker = FormatChecker(formats=())
    checker.checks("address")(lambda value: not isinstance(value, str) or FORMATS["address"](value))
    return Draft202012Validator(schema, format_checker=checker)


@given(schema=SCHEMAS, value=VALUES)
def test_it_says_what_the_validator_says_or_that_it_cannot_tell(schema: Any, value: Any) -> None:
    definitions = {"text": {"type": "string", "minLength": 1}, "many": {"type": "array", "items": {"type": "string"}}}
    root = {"properties": {"own": schema}, "$defs": definitions}
    document = {"own": value}

    judged = SchemaReader(root, FORMATS).judge(document)

    if judged is not None:
        assert validator_for(root).is_valid(document) is judged


@given(value=VALUES)
def test_a_member_that_clusters_do_not_have_is_invalid(value: Any) -> None:
    document = {"cluster": "shop", "brokers": ["kafka:9092"], "registries": value}

    judged = SchemaReader(cluster_schema(document), {}).judge(document)

    assert judged is False


def test_the_examples_of_clusters_need_no_validator() -> None:
    for document in cluster_schema()["examples"]:
        assert SchemaReader(cluster_schema(document), {}).judge(document) is True
