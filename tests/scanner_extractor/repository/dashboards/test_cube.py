"""Models of Cube: the query of each cube and view over the tables that its members reach, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_extractor.repository.dashboards.charts import UNRESOLVED
from tests.scanner_extractor.repository.dashboards.reading import queries, read_files, reasons

PARCELS = """
cubes:
  - name: parcels
    sql_table: dwh.parcels
    joins:
      - {name: depots, relationship: many_to_one, sql: "{CUBE}.depot = {depots.id}"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
%s
    measures:
      - {name: parcels, type: count}
      - {name: kilos, sql: weight, type: sum}
%s
"""
DEPOTS = """
cubes:
  - name: depots
    sql: SELECT * FROM dwh.depots;
    dimensions:
      - {name: id, sql: "{CUBE}.depot_id", type: number}
      - {name: town, sql: town, type: string}
"""


def of_member(folder: Path, member: str) -> str:
    """Return the last expression of the cube `parcels` with a further dimension or measure."""
    dimension, measure = ("", member) if "measure" in member else (member, "")
    files = {"model/parcels.yml": PARCELS % (f"      - {dimension}", f"      - {measure.replace('measure', 'name')}")}
    files["model/parcels.yml"] = files["model/parcels.yml"].replace("      - \n", "")
    query = queries(read_files(folder, {**files, "model/depots.yml": DEPOTS}))["parcels"]
    name = member.partition(":")[2].partition(",")[0].strip()
    return next(part for part in query.split(", ") if f'AS "{name}"' in part).removeprefix("SELECT ")


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ("{name: state, sql: state, type: string}", 'parcels.state AS "state"'),
        ("{name: code, sql: 'UPPER({CUBE}.code)', type: string}", 'UPPER(parcels.code) AS "code"'),
        ("{name: both, sql: '{id} + {CUBE.id}', type: number}", '(parcels.id) + (parcels.id) AS "both"'),
        ("{name: month, sql: '{parcels.id.month}', type: time}", '(parcels.id) AS "month"'),
        ("{name: town, sql: '{depots.town}', type: string}", '(depots.town) AS "town"'),
        ("{name: gone, sql: '{CUBE.nothing}', type: string}", f'{UNRESOLVED} AS "gone"'),
        ("{name: none, type: string}", f'{UNRESOLVED} AS "none"'),
        ("{name: round, sql: '{round}', type: number}", UNRESOLVED),
        ("{measure: light, sql: '{kilos} / 1000', type: number}", '(SUM(parcels.weight)) / 1000 AS "light"'),
        ("{measure: depots, sql: depot, type: count_distinct}", 'COUNT(parcels.depot) AS "depots"'),
        (
            '{measure: lost, type: count, filters: [{sql: "{CUBE}.lost"}]}',
            'COUNT(CASE WHEN (parcels.lost) THEN 1 END) AS "lost"',
        ),
        (
            '{name: size, case: {when: [{sql: "{CUBE}.weight > 9"}], else: {label: small}}, type: string}',
            'parcels.weight > 9 AS "size"',
        ),
        ("{name: spot, type: geo, latitude: {sql: lat}}", 'parcels.lat AS "spot"'),
    ],
)
def test_member_is_an_expression_of_columns(tmp_path, member, expected) -> None:
    assert expected in of_member(tmp_path, member)


def test_cube_that_a_member_reaches_is_joined_on_its_condition(tmp_path) -> None:
    """A change of the columns that join the tables counts, too."""
    member = "      - {name: town, sql: '{depots.town}', type: string}"
    files = {"parcels.yml": PARCELS % (member, ""), "depots.yml": DEPOTS}
    query = queries(read_files(tmp_path, files))["parcels"]

    assert query.partition(" FROM ")[2] == (
        "dwh.parcels AS parcels LEFT JOIN (SELECT * FROM dwh.depots) AS depots ON parcels.depot = (depots.depot_id)"
    )


VIEW = """
views:
  - name: delivery
    cubes:
      - {join_path: parcels, includes: "*", excludes: [id]}
      - {join_path: parcels.depots, prefix: true, includes: [{name: town, alias: city}]}
    measures:
      - {name: half, sql: "{CUBE.kilos} / 2", type: number}
"""


def test_view_shows_members_of_the_cubes_on_its_path(tmp_path) -> None:
    """With its own names, and with members of its own."""
    query = queries(read_files(tmp_path, {"model.yml": PARCELS % ("", ""), "d.yml": DEPOTS, "v.yml": VIEW}))["delivery"]

    assert query.startswith(
        'SELECT COUNT(*) AS "parcels", SUM(parcels.weight) AS "kilos", depots.town AS "depots_city", '
        '(SUM(parcels.weight)) / 2 AS "half" FROM dwh.parcels AS parcels LEFT JOIN '
    )


def test_cube_has_the_members_of_the_one_that_it_extends(tmp_path) -> None:
    members = "      - {name: id, sql: id}\n      - {name: kind, sql: kind}\n"
    base = f"cubes:\n  - name: base\n    sql_table: dwh.base\n    dimensions:\n{members}"
    derived = "cubes:\n  - name: own\n    extends: base\n    dimensions:\n      - {name: kind, sql: sort}\n"
    query = queries(read_files(tmp_path, {"base.yml": base, "own.yml": derived}))["own"]

    assert query == 'SELECT own.id AS "id", own.sort AS "kind" FROM dwh.base AS own'


def test_query_of_a_cube_may_read_another_one_and_filter_by_a_request(tmp_path) -> None:
    text = """
cubes:
  - name: recent
    sql: SELECT * FROM {depots.sql()} AS d WHERE {FILTER_PARAMS.recent.day.filter('d.opened')}
    dimensions: [{name: id, sql: id}]
"""
    query = queries(read_files(tmp_path, {"recent.yml": text, "depots.yml": DEPOTS}))["recent"]

    assert query.endswith("FROM (SELECT * FROM (SELECT * FROM dwh.depots) AS d WHERE (d.opened IS NOT NULL)) AS recent")


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("a.yml", "cubes:\n  - name: a\n    sql_table: '{COMPILE_CONTEXT.security.t}.a'\n", "chosen at run time"),
        ("a.yml", "cubes:\n  - name: a\n    measures: [{name: n, type: count}]\n", "a table is chosen"),
        ("a.yml", "cubes:\n{% for t in tables %}\n  - name: {{ t }}\n    sql_table: {{ t }}\n", "is a template"),
        ("a.js", "cube(`a`, {\n  sql_table: `dwh.a`,\n});\n", "is a program"),
        ("v.yml", "views:\n  - name: v\n    cubes:\n      - join_path: missing\n        includes: '*'\n", "in no file"),
    ],
)
def test_what_is_not_known_is_said_and_never_guessed(tmp_path, path, text, reason) -> None:
    reading = read_files(tmp_path, {path: text})

    assert queries(reading) == {}
    assert [reason in text for text in reasons(reading)] == [True]


def test_other_files_with_the_same_words_are_no_model(tmp_path) -> None:
    """`views:` and `cubes:` are words of other tools, too."""
    files = {"a.yml": "views:\n  - name: a\n    columns: [b]\n", "b.js": "cube(3);\n", "c.yml": "cubes: 3\n"}

    assert queries(read_files(tmp_path, files)) == {}
    assert reasons(read_files(tmp_path, files)) == []


def test_members_that_name_each_other_many_times_end(tmp_path) -> None:
    members = "".join(f"      - {{name: m{n}, sql: '{f'{{m{n + 1}}} ' * 20}'}}\n" for n in range(30))
    text = f"cubes:\n  - name: a\n    sql_table: dwh.a\n    dimensions:\n{members}"

    assert len(queries(read_files(tmp_path, {"a.yml": text}))["a"]) < 1_000_000
