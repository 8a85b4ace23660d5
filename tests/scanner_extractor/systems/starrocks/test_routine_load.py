"""Routine loads: which jobs fill a table, from which topics, and each column from which fields."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from routine_loads import SECRET, doris_load, starrocks_load

from scanner_extractor.systems.starrocks.routine_load import read_routine_loads

COLUMNS = ("commodity_id", "customer_name", "country", "pay_time", "pay_dt", "price")
PATHS = '["$.commodity_id","$.customer_name","$.country","$.pay_time","$.price"]'


def columns_of(row, columns=COLUMNS):
    ((job,),) = read_routine_loads([row], {"orders": columns}).of_table.values()
    return json.loads(job.get("kafka.columns", "{}"))


def copied(*names: str) -> dict[str, object]:
    return {name: {"field": [name]} for name in names}


def test_job_of_the_documentation_has_its_topic_and_brokers_and_group() -> None:
    """They connect the table with a topic of a cluster, and its consumer group with the job."""
    ((job,),) = read_routine_loads([starrocks_load("load", "orders", "ordertest2")], {"orders": ()}).of_table.values()

    assert job == {
        "kafka.job": "load",
        "kafka.topics": "ordertest2",
        "kafka.brokers": "k-2:9092,k-1:9092",
        "kafka.format": "json",
        "kafka.group": "load_73daf600",
    }


def test_paths_and_a_computed_column_are_those_of_the_documentation() -> None:
    """StarRocks, "Load JSON-format data": the paths are of the columns before any computed one, by position."""
    mapped = "commodity_id,customer_name,country,pay_time,pay_dt=from_unixtime(`pay_time`, '%Y%m%d'),price"
    row = starrocks_load("load", "orders", columnToColumnExpr=mapped, jsonpaths=PATHS, dataFormat="json")

    assert columns_of(row) == copied("commodity_id", "customer_name", "country", "pay_time", "price") | {
        "pay_dt": [["pay_time"]]
    }


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, copied("a", "b", "c")),
        ({"columnToColumnExpr": "a, B,tmp,c=`tmp` + 1"}, {**copied("a"), "b": {"field": ["B"]}, "c": [["tmp"]]}),
        ({"columnToColumnExpr": "a,c=concat(a, ',', `x y`),`x y`"}, copied("a") | {"c": [["a"], ["x y"]]}),
        ({"columnToColumnExpr": "a,c=now()"}, copied("a") | {"c": []}),
        ({"columnToColumnExpr": "a,c=if(`a` = 'b=(', 1, 2),b"}, copied("a", "b") | {"c": [["a"]]}),
        ({"columnToColumnExpr": "a,__op=0"}, copied("a")),
        ({"jsonpaths": '["$.id","$.user.name"]'}, {"a": {"field": ["id"]}, "b": {"field": ["user", "name"]}}),
        ({"jsonpaths": """["$['x.y'].z","$.tags[0]","$"]"""}, {"a": {"field": ["x.y", "z"]}, "b": {"field": ["tags"]}}),
        ({"json_root": "$.data", "columnToColumnExpr": "a"}, {"a": {"field": ["data", "a"]}}),
        ({"json_root": "$.data", "jsonpaths": '["$.id"]'}, {"a": {"field": ["data", "id"]}}),
        ({"format": "csv", "columnToColumnExpr": "a,b"}, {}),
        ({"format": "avro", "jsonpaths": '["$.id"]'}, {"a": {"field": ["id"]}}),
    ],
)  # fmt: skip
def test_columns_are_those_that_the_job_fills(properties, expected) -> None:
    """A name that is no column is skipped, or others are computed from it; CSV has no names of fields."""
    assert columns_of(starrocks_load("load", "orders", **properties), ("a", "b", "c")) == expected


def test_job_of_doris_is_read_as_one_of_starrocks() -> None:
    """Its properties have other names, but not those that matter."""
    row = doris_load("load", "orders", format="json", columnToColumnExpr="a,tmp,b=(tmp + 1)")

    assert columns_of(row, ("a", "b")) == {"a": {"field": ["a"]}, "b": [["tmp"]]}
    assert columns_of(doris_load("load", "orders", columnToColumnExpr="a,b"), ("a", "b")) == {}


def test_paused_job_is_a_flow_and_an_ended_one_is_history() -> None:
    """A paused job goes on where it was; SHOW ALL would list the others, too."""
    states = ("NEED_SCHEDULE", "RUNNING", "PAUSED", "UNSTABLE", "STOPPED", "CANCELLED")
    rows = [starrocks_load(f"{at}", "orders", state=state) for at, state in enumerate(states)]

    assert [job["kafka.job"] for job in read_routine_loads(rows, {"orders": ()}).of_table["orders"]] == list("0123")


def test_job_that_reads_another_broker_is_left_out() -> None:
    """Pulsar has no topics of Kafka."""
    row = {**starrocks_load("load", "orders"), "datasourcetype": "PULSAR"}

    assert read_routine_loads([row], {"orders": ()}) == ({}, ())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tablename": "dropped"}, "does not exist"),
        ({"tablename": "", "ismultitable": "true"}, "each message names its table"),
        ({"datasourceproperties": "{}"}, "no topic"),
        ({"datasourceproperties": "no JSON"}, "no topic"),
    ],
)
def test_job_without_a_known_table_or_topic_is_a_problem(changed, reason) -> None:
    """It would be missing from the graph without a word."""
    loads = read_routine_loads([{**doris_load("load", "orders"), **changed}], {"orders": ()})

    ((name, what),) = loads.problems
    assert loads.of_table == {}
    assert name == "load"
    assert reason in what


def test_paths_that_are_no_json_leave_the_topic_connected() -> None:
    """Which column comes from which field is not known, and reported."""
    row = starrocks_load("load", "orders", jsonpaths="[$.a")
    loads = read_routine_loads([row], {"orders": ("a",)})

    assert "kafka.columns" not in loads.of_table["orders"][0]
    assert [what for _, what in loads.problems] == [
        "its jsonpaths cannot be parsed: columns are not connected with fields"
    ]


def test_no_password_is_returned() -> None:
    """Versions before 2.5 show what CustomProperties hold as it is; an expression may have a text, too."""
    row = starrocks_load("load", "orders", columnToColumnExpr=f"a=aes_decrypt(b, '{SECRET}'),b")

    assert SECRET in row["customproperties"]
    assert SECRET not in repr(read_routine_loads([row], {"orders": ("a",)}))


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_is_read_without_an_error(mapped, paths, custom, name) -> None:
    """The texts are of users."""
    row = {**starrocks_load(name, "t", columnToColumnExpr=mapped, jsonpaths=paths), "customproperties": custom}
    loads = read_routine_loads([row, dict.fromkeys(row, custom)], {"t": (mapped, "a")})

    assert len(loads.of_table["t"]) == 1


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_json_is_read_without_an_error(value) -> None:
    """Members may have other types than texts."""
    text = json.dumps(value)
    row = {**starrocks_load("load", "t"), "jobproperties": text, "datasourceproperties": text}
    nested = {**starrocks_load("load", "t", jsonpaths=text), "customproperties": text}

    assert read_routine_loads([row, nested], {"t": ("a",)}).of_table["t"]
