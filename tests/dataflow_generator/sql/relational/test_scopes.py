"""Which columns the names in a query stand for: scopes, aliases, joins, functions in FROM, and what only decides."""

import pytest

from dataflow_generator.sql.relational.queries import QueryReading, read_query

TABLES = {
    ("c",): ("id", "name", "tags", "doc"),
    ("o",): ("id", "cid", "total", "at"),
    ("p",): ("id", "o"),
}


def read(sql: str, scheme: str = "postgres", names=()) -> QueryReading:
    return read_query(sql, scheme, lambda table: TABLES.get(table, ()), names)


def flows(reading: QueryReading) -> list[str]:
    """Return each column with what it is derived from; `~` marks one that is computed."""
    return [
        f"{column.name}: {' '.join('.'.join((*table, name)) for table, name in column.origins)}" + "~" * column.changed
        for column in reading.columns
    ]


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select x.total from c, lateral (select o.total from o where o.cid = c.id) x", ["total: o.total"]),
        ("select x.n from c left join lateral (select c.name as n) x on true", ["n: c.name"]),
        ("select x.n from (c join lateral (select c.name as n) x on true)", ["n: c.name"]),
        ("select q.total from c, (select * from o) q", ["total: o.total"]),
    ],
)
def test_lateral_query_sees_what_stands_before_it(sql, columns) -> None:
    """Inside brackets, too."""
    assert flows(read(sql)) == columns
    assert not read(sql).problem


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("with t(x, y) as (select id, name from c) select y, x from t", ["y: c.name", "x: c.id"]),
        ("select t.x, t.name from (select id, name from c) t(x)", ["x: c.id", "name: c.name"]),
        ("select t.x, t.doc from c as t(x, y)", ["x: c.id", "doc: c.doc"]),
        (
            "select j.id, j.k, j.total from (c join o using (id)) j(id, n, t, d, k)",
            ["id: c.id", "k: o.cid", "total: o.total"],
        ),
        ("select v.b from (values (1, 2), (3, 4)) v(a, b)", ["b: ~"]),
        ("select t.x from (c cross join o) t(x)", ["x: c.id"]),
    ],
)
def test_alias_lists_name_columns_by_position(sql, columns) -> None:
    """Those behind the list keep their names."""
    assert flows(read(sql)) == columns
    assert not read(sql).problem


def test_alias_list_of_a_table_whose_columns_are_not_known_is_said() -> None:
    """Which column it renames is not known; a name that it does not give is a column's."""
    reading = read("select t.x, t.z from elsewhere as t(x, y)")

    assert flows(reading) == ["z: elsewhere.z"]
    assert reading.problem == "columns of the query that cannot be resolved: x"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select t.tag from c cross join lateral unnest(c.tags) t(tag)", ["tag: c.tags~"]),
        ("select u.t, u.n from c, unnest(c.tags) with ordinality u(t, n)", ["t: c.tags~", "n: c.tags~"]),
        ("select x.a, x.b from c, rows from(unnest(c.tags), f(c.id)) x(a, b)", ["a: c.tags~", "b: c.id~"]),
        ("select key, value from c, jsonb_each(c.doc)", ["key: c.doc~", "value: c.doc~"]),
        ("select e.value ->> 'x' as v from c, jsonb_array_elements(c.doc) e(value)", ["v: c.doc~"]),
        ("select r.a from c, jsonb_to_record(c.doc) r(a int, b text)", ["a: c.doc~"]),
        ("select g from generate_series(1, 3) g", ["g: ~"]),
        ("select g.d, c.id from (generate_series(1, 3) g(d) left join c on c.id = g.d)", ["d: ~", "id: c.id"]),
        ("select k.x from (unnest(array[1]) k(x) join c on c.id = k.x)", ["x: ~"]),
        (
            "select x.a, x.b from c, xmltable(('/r'::text) passing (c.doc) columns a integer path ('@a'), b text) x",
            ["a: c.doc~", "b: c.doc~"],
        ),
    ],
)
def test_columns_of_functions_are_computed_from_their_arguments(sql, columns) -> None:
    """Whether the text lists their names or not."""
    assert flows(read(sql)) == columns


@pytest.mark.parametrize(
    ("sql", "scheme", "columns"),
    [
        ("select j.a from c, json_table(c.doc, '$' columns (a int path '$.a')) j", "mysql", ["a: c.doc~"]),
        ("select q from c cross apply openjson(c.doc) with (q int '$.q') j", "sqlserver", ["q: c.doc~"]),
        ("select f.value from C, lateral flatten(input => c.doc) f", "snowflake", ["VALUE: C.DOC~"]),
        ("select y from c lateral view explode(tags) e as y", "hive", ["y: c.tags~"]),
        ("select x from c, unnest(c.tags) as x with offset as n", "bigquery", ["x: c.tags~"]),
    ],
)
def test_functions_of_other_products_are_too(sql, scheme, columns) -> None:
    """Each product has a form of its own."""
    assert flows(read(sql, scheme)) == columns


@pytest.mark.parametrize("call", ["sales.best(c.id)", "best(c.id)"])
def test_function_of_the_user_may_read_anything(call) -> None:
    """Its arguments are known, its body is not."""
    reading = read(f"select b.x from c, {call} b(x)")

    assert flows(reading) == ["x: c.id~"]
    assert reading.problem == f"what the function {call.partition('(')[0]} reads is not known"


@pytest.mark.parametrize(
    ("join", "origins"),
    [
        ("join", "c.id"),
        ("left join", "c.id"),
        ("right join", "o.id"),
        ("full join", "c.id o.id~"),
    ],
)
def test_merged_column_of_a_join_is_of_the_side_that_always_has_it(join, origins) -> None:
    """A FULL JOIN takes either."""
    assert flows(read(f"select id, name from c {join} o using (id)")) == [f"id: {origins}", "name: c.name"]


def test_merged_column_stands_once_before_the_others() -> None:
    """So do those of NATURAL; a comma separates what is joined."""
    assert flows(read("select * from o natural join p")) == [
        "id: o.id",
        "cid: o.cid",
        "total: o.total",
        "at: o.at",
        "o: p.o",
    ]
    assert [column.name for column in read("select * from p, c join o using (id)").columns][:3] == ["id", "o", "id"]


@pytest.mark.parametrize(
    ("sql", "origins"),
    [
        ("select row_to_json(x) as j from p x", "p.id p.o"),
        ("select x.*::text as j from p x", "p.id p.o"),
        ("select json_agg(x.*) as j from (select id from c) x", "c.id"),
        ("select (x).o as j from p x", "p.o"),
        ("select f(o) as j from p", "p.o"),
    ],
)
def test_row_is_all_columns(sql, origins) -> None:
    """A column of that name comes first."""
    (column,) = read(sql).columns

    assert " ".join(".".join((*table, name)) for table, name in column.origins) == origins


@pytest.mark.parametrize(
    ("item", "origins", "effects"),
    [
        ("case when name = 'x' then id else 0 end", "id", ["name CONDITIONAL"]),
        ("case name when 'x' then id end", "id", ["name CONDITIONAL"]),
        ("sum(id) filter (where name = 'x')", "id", ["name FILTER"]),
        ("lag(id) over (partition by name order by doc)", "id", ["doc WINDOW", "name WINDOW"]),
        ("row_number() over w", "", ["name WINDOW"]),
        ("string_agg(doc, ',' order by name)", "doc", ["name SORT"]),
        ("percentile_cont(0.5) within group (order by id)", "id", []),
        ("(select max(o.cid) from o where o.total > c.id)", "o.cid", ["id FILTER", "o.total FILTER"]),
        ("exists (select * from o where o.cid = c.id)", "", ["id FILTER", "o.cid FILTER"]),
        ("coalesce(name, doc)", "doc name", []),
    ],
)
def test_columns_that_only_decide_a_value_are_no_part_of_it(item, origins, effects) -> None:
    """They have OpenLineage's subtypes."""
    (column,) = read(f"select {item} as v from c window w as (partition by name)").columns

    assert " ".join(name if table == ("c",) else f"{table[0]}.{name}" for table, name in column.origins) == origins
    assert [
        f"{effect.column if effect.table == ('c',) else f'{effect.table[0]}.{effect.column}'} {effect.subtype}"
        for effect in column.effects
    ] == effects


def test_select_list_of_exists_does_not_matter() -> None:
    """Not even a star over a table whose columns are not known."""
    reading = read("select id from c where exists (select * from elsewhere e where e.x = c.id)")

    assert (flows(reading), reading.problem, reading.rest) == (["id: c.id"], "", None)
    assert reading.effects == ((("c",), "id", "FILTER"), (("elsewhere",), "x", "FILTER"))


def test_system_tables_are_of_the_catalog() -> None:
    """Unless the schema has one of that name."""
    assert flows(read("select k.relname from pg_class k")) == ["relname: pg_catalog.pg_class.relname"]
    assert read_query("select x from pg_own", "postgres", lambda _: ("x",)).tables == (("pg_own",),)
    assert read("select k.relname from pg_class k", "mysql").tables == (("pg_class",),)


def test_columns_without_a_name_have_those_that_the_database_lists() -> None:
    """Where it lists as many as there are."""
    assert flows(read("select id, upper(name) from c", "sqlite", ("a", "b"))) == ["id: c.id", "b: c.name~"]
    assert flows(read("select id, upper(name) from c", "sqlite", ("a",))) == ["id: c.id"]
    assert flows(read("select id || name from c")) == ["?column?: c.id c.name~"]


def test_header_may_name_the_first_columns_only() -> None:
    """PostgreSQL allows it."""
    assert flows(read("create view v (a) as select id, name from c")) == ["a: c.id", "name: c.name"]
    assert "another number" in read("create view v (a, b, c) as select id, name from c").problem


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("values (1, 'a') union all select id, name from c", ["column1: c.id~", "column2: c.name~"]),
        ("values (1), (2)", ["column1: ~"]),
        (
            "with recursive r(i, n) as (select id, 1 from c union all select o.cid, n + 1 from o join r on r.i = o.id)"
            " select * from r",
            ["i: c.id o.cid", "n: ~"],
        ),
        ("with c as (select id as k, name from c) select * from c", ["k: c.id", "name: c.name"]),
        ("with t as (select id from c) select (select max(t.id) from t) as m from o", ["m: c.id~"]),
    ],
)
def test_named_queries_and_values(sql, columns) -> None:
    """A name in its own query is the table's, unless the WITH is recursive."""
    assert flows(read(sql)) == columns


@pytest.mark.parametrize(
    "sql",
    [
        "select c.id from c where (c.name ?# 'x'::text)",
        "select c.id from (c join o using (id) as j)",
        "select x.id from (with recursive r as (select id from c union all select id from r) search depth first by id"
        ", id set s select id from r) x",
        "select c.id from c where (c.tags = '{a}'::name[])",
        "select c.id from c where ((## c.id) <<< 5) order by c.name using ~<~",
    ],
)
def test_texts_of_postgres_that_the_parser_does_not_know_are_read(sql) -> None:
    """Operators are anybody's; each text is what the server shows of a view."""
    reading = read(sql)

    assert (flows(reading), reading.problem) == (["id: c.id"], "")


@pytest.mark.parametrize(
    "sql", ["select p.x from c pivot (sum(id) for name in ('x', 'y')) p", "select nobody.id from c"]
)
def test_what_is_not_resolved_is_said(sql) -> None:
    """Rather than guessed."""
    reading = read(sql, "sqlserver")

    assert (reading.columns, "cannot be resolved" in reading.problem) == ((), True)


def test_no_table_of_a_text_is_lost() -> None:
    """Whatever place it stands at."""
    reading = read("with x as (delete from o returning id) select c.id from c limit (select max(p.id) from p)")

    assert reading.tables == (("c",), ("o",), ("p",))
    assert reading.effects == ((("p",), "id", "FILTER"),)


def test_named_query_is_found_in_another_letter_case() -> None:
    """Where the database compares names without it."""
    assert flows(read("with Best as (select id from c) select id from BEST", "sqlserver")) == ["id: c.id"]
    assert read('with "Best" as (select id from c) select id from best').tables == (("best",), ("c",))
