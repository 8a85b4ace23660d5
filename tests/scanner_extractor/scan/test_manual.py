"""Manual input adds what is missing; a contradiction is reported, the registry's fact stays."""

from dataclasses import replace

from scanner_extractor.scan.manual import Merged, agreeing, merge_schemas
from scanner_extractor.schemas.definitions import define_text
from scanner_model.columns import Column
from scanner_model.manual import Assignment, ManualSchema
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.schemas import Association, Confidence, TopicSchema

AVRO = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "%s"}]}'
REGISTERED = define_text("AVRO", AVRO % "string", {})
MANUAL = SourceId("manual:legacy.json")

LINK = TopicSchema(
    source=SourceId("schema_registry:https://sr"),
    topic=TopicName("orders"),
    role=Role.VALUE,
    fingerprint=REGISTERED.fingerprint,
    strategy="topic",
    evidence="subject 'orders-value'",
    confidence=Confidence.CONFIRMED,
    subject=SubjectName("orders-value"),
    version=2,
    schema_id="7",
)


def schema(**more) -> ManualSchema:
    known = {"source": MANUAL, "topic": TopicName("orders"), "role": Role.VALUE, "format": "AVRO", "location": "f $.x"}
    return ManualSchema(**known | {"text": AVRO % "string"} | more)


def merged(*schemas: ManualSchema) -> Merged:
    return merge_schemas(schemas, [LINK], {REGISTERED.fingerprint: REGISTERED})


def test_a_side_that_no_registry_knows_is_added() -> None:
    """That is what manual input is for."""
    result = merged(schema(role=Role.KEY, format="CSV", text="", columns=(Column(path=("id",), type="text"),)))
    (link,) = result.topic_schemas

    assert (link.role, link.strategy, link.confidence, link.current) == ("key", "manual", Confidence.DECLARED, True)
    assert result.definitions[link.fingerprint].columns[0].name == "id"
    assert result.problems == []


def test_the_same_columns_again_add_nothing_and_are_no_problem() -> None:
    """People write down what they know, the registry may know it too."""
    result = merged(schema())

    assert (result.topic_schemas, result.problems) == ([], [])


def test_other_columns_are_a_contradiction_and_the_registry_stays() -> None:
    """A type or a name that differs is reported, with the place in the file."""
    result = merged(schema(text=AVRO % "long"))

    assert result.topic_schemas == []
    assert [problem.where for problem in result.problems] == ["f $.x"]


def test_another_format_agrees_where_its_paths_do() -> None:
    """Types are each format's own words and cannot be compared."""
    result = merged(schema(format="CSV", text="", columns=(Column(path=("id",), type="anything"),)))

    assert (result.topic_schemas, result.problems) == ([], [])


def test_a_version_that_the_registry_lost_is_kept_but_not_current() -> None:
    """The registry's newest version describes the topic; an older one is history."""
    result = merged(schema(subject=SubjectName("orders-value"), version=1, text=AVRO % "int"))

    assert [(link.version, link.current) for link in result.topic_schemas] == [(1, False)]


def test_another_subject_of_the_topic_is_added_as_current() -> None:
    """A topic may carry several records."""
    result = merged(schema(subject=SubjectName("com.acme.Retry"), text=AVRO % "int"))

    assert [link.current for link in result.topic_schemas] == [True]


def test_a_version_that_the_registry_has_must_agree() -> None:
    """The same subject and version cannot mean two things."""
    result = merged(schema(subject=SubjectName("orders-value"), version=2, text=AVRO % "int"))

    assert len(result.problems) == 1


def test_a_text_that_cannot_be_read_is_kept_with_a_problem() -> None:
    """Its place is the manual file's."""
    result = merged(schema(role=Role.KEY, text="{"))

    assert len(result.topic_schemas) == 1
    assert result.problems[0].where.startswith("f $.x")


def test_an_assignment_against_the_registrys_association_is_left_out() -> None:
    """The registry was reported by whoever registered it."""
    sure = Association(source=LINK.source, context=".", subject=SubjectName("s"), topic=TopicName("a"), role=Role.VALUE)
    wrong = Assignment(source=MANUAL, subject=SubjectName("s"), topic=TopicName("b"), role=None, location="f $.s")

    assignments, problems = agreeing([wrong, replace(wrong, topic=TopicName("a"))], [sure])

    assert [assignment.topic for assignment in assignments] == ["a"]
    assert [problem.where for problem in problems] == ["f $.s"]


def test_of_several_versions_of_a_subject_the_newest_is_current() -> None:
    """Both would say that the topic has the columns of either."""
    older, newer, other = (
        schema(topic=TopicName("legacy"), subject=SubjectName(subject), version=version, text=AVRO % kind)
        for subject, version, kind in (
            ("legacy-value", 1, "int"),
            ("legacy-value", 2, "long"),
            ("other-value", 1, "int"),
        )
    )
    links = merged(newer, older, other).topic_schemas

    assert [(link.subject, link.version, link.current) for link in links] == [
        ("legacy-value", 2, True),
        ("legacy-value", 1, False),
        ("other-value", 1, True),
    ]
