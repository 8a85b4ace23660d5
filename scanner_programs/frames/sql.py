"""Spark's SQL as operations on frames: expressions, queries, and statements that write."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from sqlglot import exp, parse
from sqlglot.errors import ErrorLevel, SqlglotError

from scanner_model.errors import InputInvalid
from scanner_programs.frames.expressions import GENERATORS, Expr, Kind, Out, call, column, literal
from scanner_programs.frames.relations import Frame, Open, Pivot, Setting, assigned, opaque
from scanner_programs.frames.schemas import sql_type
from scanner_programs.frames.values import NOTHING

Parts = tuple[str, ...]
Tables = Callable[[Parts], Frame]
"""Returns the frame of a table or view by the parts of its name."""

_LONGEST = 50_000
_WINDOW = re.compile(r"\bwindow\s*\(", re.IGNORECASE)
"""The function of that name: after GROUP BY, sqlglot takes it for the clause WINDOW, which has no bracket there."""
_DEEPEST = 60


@lru_cache(maxsize=200)
def statements(text: str) -> tuple[exp.Expr, ...]:
    """Parse a text of Spark's SQL; raises InputInvalid if it exceeds a limit or cannot be parsed."""
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        deepest = max(deepest, depth)
    if len(text) > _LONGEST or deepest > _DEEPEST:
        raise InputInvalid("a statement of SQL is longer or deeper than what is read")
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    try:
        settings = sorted(set(_SETTING.findall(text)))
        plain = _WINDOW.sub("time_window(", text)
        for at, setting in enumerate(settings):
            plain = plain.replace(setting, f"{_STAND_IN}{at}_")
        parsed = tuple(filter(None, parse(plain, read="databricks", error_level=ErrorLevel.RAISE)))
        return tuple(_with_settings(each, settings) for each in parsed) if settings else parsed
    except (SqlglotError, ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise InputInvalid(f"a statement of SQL cannot be parsed ({type(error).__name__})") from error


_SETTING = re.compile(r"\$\{[\w.-]+(?::[^{}]*)?\}")
_STAND_IN = "scanner_setting_"
"""What a setting in a text is called while the text is parsed."""


def _with_settings(statement: exp.Expr, settings: Sequence[str]) -> exp.Expr:
    """Return a parsed statement with its settings in names and texts; one that is an operand is a constant."""

    def restored(node: exp.Expr) -> exp.Expr:
        name = node.this if isinstance(node, exp.Identifier | exp.Literal) else None
        if isinstance(node, exp.Column) and len(node.parts) == 1 and not isinstance(node.parent, exp.Select):
            return exp.Placeholder() if re.fullmatch(rf"{_STAND_IN}\d+_", node.name) else node
        if isinstance(name, str) and _STAND_IN in name:
            node.set("this", re.sub(rf"{_STAND_IN}(\d+)_", lambda match: settings[int(match[1])], name))
        return node

    return statement.transform(restored, copy=False)


def expression(text: str) -> Expr:
    """Parse an expression such as `total * 2 AS twice`; one that cannot be parsed is unresolved."""
    if text.strip() == "*":
        return column("*")
    try:
        parsed = statements(f"SELECT {text}")
    except InputInvalid:
        return Expr(Kind.COLUMN, data=(text,))
    items = parsed[0].selects if len(parsed) == 1 and isinstance(parsed[0], exp.Select) else []
    return (
        SqlReader(lambda parts: opaque((), None, f"table {'.'.join(parts)} is not known")).convert(items[0])
        if items
        else literal(text)
    )


class SqlReader:
    """Turns what sqlglot parsed into expressions and frames; *tables* finds tables and views."""

    def __init__(self, tables: Tables, ctes: Mapping[str, Frame] | None = None) -> None:
        self._tables = tables
        self._ctes = dict(ctes or {})
        self._outer = Frame()
        """What a query inside an expression, or a lateral one, may name as well."""

    # --- expressions

    def convert(self, node: exp.Expr) -> Expr:
        """Return an expression."""
        match node:
            case exp.Alias():
                inner = self.convert(node.this)
                names = (node.alias,)
                return Expr(Kind.ALIAS, args=(inner,), data=names)
            case exp.Aliases():
                return Expr(Kind.ALIAS, args=(self.convert(node.this),), data=tuple(each.name for each in node.aliases))
            case exp.Star():
                return self._star((), node)
            case exp.Column() if node.is_star:
                return self._star(tuple(part.name for part in node.parts[:-1]), node.this)
            case exp.Column():
                return Expr(Kind.COLUMN, data=tuple(part.name for part in node.parts))
            case exp.Identifier():
                return Expr(Kind.COLUMN, data=(node.name,))
            case exp.Dot():
                return self._dot(node)
            case exp.Literal():
                return literal(node.name if node.is_string else int(node.name) if node.is_int else 0.0)
            case exp.Boolean() | exp.Null() | exp.Interval() | exp.Placeholder() | exp.Parameter() | exp.DataType():
                return literal(None)
            case exp.Paren() | exp.Ordered():
                return self.convert(node.this)
            case exp.Cast() | exp.TryCast():
                return call("cast", self.convert(node.this), data=sql_type(node.args.get("to")))
            case exp.Case():
                return self._case(node)
            case exp.If():
                branches = [each for each in (node.args.get("true"), node.args.get("false")) if each is not None]
                return call("if", *map(self.convert, (node.this, *branches)))
            case exp.Filter():
                return Expr(Kind.CASE, args=(self.convert(node.this),), data=(self.convert(node.expression.this),))
            case exp.Window():
                keys = [key for each in _windows(node) for key in each.args.get("partition_by") or ()]
                keys += [key for each in _windows(node) for key in _some(each.args.get("order"))]
                keys = [
                    inner for each in keys for inner in (each.expressions if isinstance(each, exp.Order) else [each])
                ]
                return Expr(Kind.OVER, args=(self.convert(node.this),), data=tuple(map(self.convert, keys)))
            case exp.Lambda():
                names = tuple(each.name for each in node.expressions)
                return Expr(Kind.LAMBDA, args=(self.convert(node.this),), data=names)
            case exp.Bracket():
                return call("getitem", self.convert(node.this), *map(self.convert, node.expressions))
            case exp.JSONExtract() | exp.JSONExtractScalar():
                return call("get_json_object", self.convert(node.this), literal(_json_path(node.expression)))
            case exp.Struct():
                return call("struct", *map(self._member, node.expressions))
            case exp.Subquery() | exp.Query():
                return Expr(Kind.QUERY, data=self.rows(node))
        return self._function(node)

    def _star(self, parts: Parts, star: exp.Expr) -> Expr:
        left_out = (each.this if isinstance(each, exp.Column) else each for each in star.args.get("except_") or ())
        return Expr(Kind.STAR, args=tuple(column(f"`{each.name}`") for each in left_out), data=parts)

    def _dot(self, node: exp.Dot) -> Expr:
        base = self.convert(node.this)
        if isinstance(node.expression, exp.Star):
            return Expr(Kind.STAR, data=base.data) if base.kind is Kind.COLUMN else base
        if not isinstance(node.expression, exp.Identifier | exp.Column):
            return call(node.expression.name.lower() or "dot", *map(self.convert, node.expression.expressions))
        if base.kind is Kind.COLUMN:
            return replace(base, data=(*base.data, node.expression.name))
        return call("getfield", base, literal(node.expression.name))

    def _case(self, node: exp.Case) -> Expr:
        results = [each.args["true"] for each in node.args["ifs"]] + _some(node.args.get("default"))
        conditions = _some(node.this) + [each.this for each in node.args["ifs"]]
        return Expr(Kind.CASE, args=tuple(map(self.convert, results)), data=tuple(map(self.convert, conditions)))

    def _member(self, node: exp.Expr) -> Expr:
        if isinstance(node, exp.PropertyEQ):
            return Expr(Kind.ALIAS, args=(self.convert(node.expression),), data=(node.this.name,))
        return self.convert(node)

    def _function(self, node: exp.Expr) -> Expr:
        inner = [
            each
            for child in node.iter_expressions()
            for each in (child.expressions if isinstance(child, exp.Distinct) else [child])
        ]
        args = tuple(map(self.convert, inner))
        name = (
            node.name if isinstance(node, exp.Anonymous) else _spelled(node) if isinstance(node, exp.Func) else node.key
        )
        result = call(_NAMES.get(name.lower(), name.lower()), *args)
        return (
            call("aggregated", result) if isinstance(node, exp.AggFunc) and result.name not in _STRUCTURED else result
        )

    # --- queries

    def rows(self, node: exp.Expr) -> Frame:
        """Return the frame of a query."""
        ctes = node.args.get("with_")
        reader = SqlReader(self._tables, self._ctes) if ctes is not None else self
        reader._outer = self._outer
        for cte in ctes.expressions if ctes is not None else ():
            reader._ctes[cte.alias.casefold()] = _with_names(reader.rows(cte.this), cte.args.get("alias"))
        match node:
            case exp.Subquery():
                inner = reader.rows(node.this)
                inner = _with_names(inner.called(node.alias), node.args.get("alias")) if node.alias else inner
                return self._joins(node, self._pivots(node, inner))
            case exp.SetOperation():
                return reader._set_operation(node)
            case exp.Select():
                return reader._select(node)
            case exp.Values():
                width = max((len(each.expressions) for each in node.expressions), default=0)
                frame = Frame(tuple(Out(f"col{at}", NOTHING) for at in range(1, width + 1)))
                return _with_names(frame.called(node.alias), node.args.get("alias"))
            case exp.Table():
                return reader._table(node)
        return opaque((), None, f"{node.key} of SQL is not resolved")

    def _set_operation(self, node: exp.SetOperation) -> Frame:
        branches: list[exp.Expr] = []
        left: exp.Expr = node
        while isinstance(left, exp.SetOperation):
            branches.append(left.expression)
            left = left.this
        frame = self.rows(left)
        for branch in reversed(branches):
            other = self.rows(branch)
            if isinstance(node, exp.Union):
                frame = frame.united(other, by_name=bool(node.args.get("by_name")))
            else:
                frame = frame.joined(other, None, "semi").distinct(())
        return frame

    def _select(self, node: exp.Select) -> Frame:
        source = node.args.get("from_")
        frame = self._joins(node, self.source(source.this)) if source is not None else Frame()
        outer, self._outer = self._outer, frame
        result = self._selected(node, replace(frame, lost=(*frame.lost, *outer.columns)))
        self._outer = outer
        return result

    def _selected(self, node: exp.Select, frame: Frame) -> Frame:
        if (where := node.args.get("where")) is not None:
            frame = frame.decided_by([self.convert(where.this)], "FILTER")
        grouping = [self.convert(each) for each in _grouping(node.args.get("group"))]
        windows = [each for each in grouping if each.kind is Kind.CALL and each.name in ("window", "session_window")]
        frame = frame.with_columns((each.name, each) for each in windows)
        items = [self.convert(item) for item in node.selects]
        named = {each.data[0].casefold(): each.args[0] for each in items if each.kind is Kind.ALIAS}
        result = frame.select(_with_aliases(frame, items))
        keys = [_key(each, items, frame, named) for each in grouping]
        result = _deciding(result, frame.decided_by(keys, "GROUP_BY"))
        both = replace(result, columns=(*result.columns, *frame.columns), open=(*result.open, *frame.open))
        for clause, subtype in (("having", "FILTER"), ("qualify", "FILTER"), ("order", "SORT")):
            if (found := node.args.get(clause)) is not None:
                inner = found.expressions if clause == "order" else [found.this]
                keys = [_key(self.convert(each), items, both, {}) for each in inner]
                result = _deciding(result, both.decided_by(keys, subtype))
        return result.distinct(()) if node.args.get("distinct") else result

    def _joins(self, node: exp.Expr, frame: Frame) -> Frame:
        for join in (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())):
            if isinstance(join, exp.Lateral) or isinstance(join.this, exp.Lateral | exp.Unnest | exp.Explode):
                frame = self._lateral(join if isinstance(join, exp.Lateral) else join.this, frame)
                continue
            on = join.args.get("on")
            using = [each.name for each in join.args.get("using") or ()]
            other = self.source(join.this)
            if join.method == "NATURAL":
                using = [out.name for out in frame.columns if other.named(out.name)]
            kind = (join.kind or join.side or "inner").lower() if join.kind != "OUTER" else join.side.lower() or "full"
            frame = frame.joined(other, self.convert(on) if on is not None else using or None, kind)
        return frame

    def _lateral(self, node: exp.Expr, frame: Frame) -> Frame:
        alias = node.args.get("alias")
        names = tuple(each.name for each in alias.args.get("columns") or ()) if alias is not None else ()
        outer, self._outer = self._outer, frame
        generator = self.convert(node.this if isinstance(node, exp.Lateral) else node)
        self._outer = outer
        if generator.kind is Kind.QUERY:
            return frame.joined(generator.data.called(node.alias), None)
        added = frame.select([Expr(Kind.ALIAS, args=(generator,), data=names) if names else generator])
        if not names and generator.kind is Kind.CALL and generator.name not in GENERATORS:  # a table function
            added = replace(added, columns=(), open=tuple(Open(out.value) for out in added.columns))
        return replace(frame.joined(added.called(node.alias or "lateral"), None), problems=added.problems)

    def source(self, node: exp.Expr) -> Frame:
        """Return the frame of an item of FROM."""
        while isinstance(node, exp.Stream):
            node = node.this
        return (
            self.rows(node)
            if isinstance(node, exp.Query | exp.Subquery | exp.Values | exp.Table)
            else self._other(node)
        )

    def _other(self, node: exp.Expr) -> Frame:
        if isinstance(node, exp.Lateral | exp.Unnest):
            return self._lateral(node, Frame())
        return opaque((), None, f"{node.key} of SQL is not resolved")

    def _table(self, node: exp.Table) -> Frame:
        inner = node.this
        if not isinstance(inner, exp.Identifier):
            return self._table_function(node)
        parts = tuple(part.name for part in node.parts)
        known = self._ctes.get(parts[0].casefold()) if len(parts) == 1 else None
        frame = (known if known is not None else self._tables(parts)).called(node.alias or ".".join(parts))
        frame = _with_names(frame, node.args.get("alias"))
        return self._joins(node, self._pivots(node, frame))

    def _pivots(self, node: exp.Expr, frame: Frame) -> Frame:
        """Return the rows of a table or subquery after PIVOT and UNPIVOT."""
        for pivot in node.args.get("pivots") or ():
            fields = pivot.args.get("fields") or []
            if len(fields) != 1 or not isinstance(fields[0], exp.In) or frame.open:
                frame = opaque([frame], None, f"{'UN' * bool(pivot.args.get('unpivot'))}PIVOT is not resolved")
                continue
            over, listed = fields[0].this, fields[0].expressions
            plain = [each.this if isinstance(each, exp.PivotAlias) else each for each in listed]
            if pivot.args.get("unpivot"):
                columns = [column(each.name) for each in plain]
                kept = [Expr(Kind.STAR, data=(), args=tuple(columns))]
                frame = frame.unpivoted(kept, columns, over.name, pivot.expressions[0].name)
                continue
            results = [self.convert(each) for each in pivot.expressions]
            by = self.convert(over)
            used = {each.name.casefold() for found in pivot.expressions for each in found.find_all(exp.Column)}
            keys = [
                column(out.name) for out in frame.columns if out.name.casefold() not in {*used, over.name.casefold()}
            ]
            grouped = frame.decided_by([by], "GROUP_BY").grouped(keys, results)
            values = tuple(each.alias or each.name for each in listed)
            frame = Pivot(frame.select([by]).whole(), values).of(grouped, len(results))
            frame = frame.called(pivot.alias) if pivot.alias else frame
        return frame

    def _table_function(self, node: exp.Table) -> Frame:
        """Return the rows of a function in FROM; `STREAM(orders)` is the table itself."""
        inner = node.this
        args = list(inner.expressions) if isinstance(inner, exp.Func) else []
        if isinstance(inner, exp.Anonymous) and inner.name.lower() in ("stream", "live") and len(args) == 1:
            parts = tuple(part.name for part in args[0].parts) if isinstance(args[0], exp.Column) else ()
            return self._tables(parts).called(node.alias or ".".join(parts))
        name = inner.name if isinstance(inner, exp.Anonymous) else inner.key
        converted = self.convert(inner)
        if converted.name in ("explode", "posexplode", "inline", "stack"):
            return Frame().select([converted])
        return (
            Frame(columns=(Out("id", NOTHING),))
            if name == "range"
            else opaque((), None, f"function {name} in FROM is not resolved")
        )


def _spelled(node: exp.Func) -> str:
    """Return the name that Spark has for a function: sqlglot has names of its own, such as JSON_FORMAT for to_json."""
    args = {
        key: [exp.column("x")] * len(value) if isinstance(value, list) else exp.column("x")
        for key, value in node.args.items()
        if isinstance(value, list | exp.Expr)
    }
    try:
        text = type(node)(**args).sql("databricks")
    except (SqlglotError, ValueError, LookupError, AttributeError, TypeError):
        return node.sql_name()  # the writer looks into an argument
    found = _CALLED.match(text)
    return found[1] if found is not None else node.sql_name()


_CALLED = re.compile(r"(\w+)\(")
_NAMES = {"time_window": "window"}
_STRUCTURED = frozenset(
    ("any_value", "arg_max", "arg_min", "array_agg", "collect_list", "collect_set", "count", "first", "first_value")
) | {"last", "last_value", "max", "max_by", "min", "min_by", "explode", "explode_outer", "posexplode", "inline"}


def _windows(node: exp.Window) -> list[exp.Expr]:
    """Return a window, with the one of its query whose name it has: `OVER w`."""
    query = node.find_ancestor(exp.Select)
    named = query.args.get("windows") or () if query is not None and node.alias else ()
    return [node, *(each for each in named if each.name.casefold() == node.alias.casefold())]


def _some(node: exp.Expr | None) -> list[exp.Expr]:
    return [node] if node is not None else []


def _json_path(path: exp.Expr) -> str:
    if isinstance(path, exp.Literal):
        return path.name if path.name.startswith("$") else f"$.{path.name}"
    steps = []
    for part in path.expressions if isinstance(path, exp.JSONPath) else ():
        if isinstance(part, exp.JSONPathKey):
            steps.append(f".{part.name}")
        elif isinstance(part, exp.JSONPathSubscript | exp.JSONPathWildcard):
            steps.append("[*]")
    return "$" + "".join(steps)


def _grouping(group: exp.Expr | None) -> Iterator[exp.Expr]:
    if group is not None:
        for each in group.iter_expressions():
            yield from each.expressions if isinstance(each, exp.Cube | exp.Rollup | exp.GroupingSets) else [each]


def _key(key: Expr, items: Sequence[Expr], frame: Frame, named: Mapping[str, Expr]) -> Expr:
    """Return what a key of GROUP BY or ORDER BY stands for: a select item by its number or name."""
    if key.kind is Kind.LITERAL and isinstance(key.data, int) and 0 < key.data <= len(items):
        return items[key.data - 1]
    if key.kind is Kind.COLUMN and len(key.data) == 1 and frame.named(key.data[0]) is None:
        return named.get(key.data[0].casefold(), key)
    return key


def _with_aliases(frame: Frame, items: Sequence[Expr]) -> list[Expr]:
    """Return select items; one may use the name of an earlier one, which is replaced by its expression."""
    known: dict[str, Expr] = {}
    result = []
    for item in items:
        result.append(_replaced(item, frame, known) if known else item)
        if item.kind is Kind.ALIAS and len(item.data) == 1 and frame.named(item.data[0]) is None and not frame.open:
            known[item.data[0].casefold()] = result[-1].args[0]
    return result


def _replaced(expr: Expr, frame: Frame, known: Mapping[str, Expr]) -> Expr:
    if expr.kind is Kind.COLUMN:
        own = known.get(expr.data[0].casefold()) if len(expr.data) == 1 and frame.find(expr.data) is None else None
        return own or expr
    return replace(expr, args=tuple(_replaced(each, frame, known) for each in expr.args))


def _deciding(result: Frame, other: Frame) -> Frame:
    return replace(result, deciders=result.deciders | other.deciders, problems=result.problems | other.problems)


def _with_names(frame: Frame, alias: exp.Expr | None) -> Frame:
    names = [each.name for each in alias.args.get("columns") or ()] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return frame
    return frame.listed_as(names).called(alias.name) if alias is not None and alias.name else frame.listed_as(names)


# --- statements


class Session(Protocol):
    """What statements are run in."""

    def table(self, parts: Parts) -> Frame:
        """Return the frame of a table or view."""

    def define(self, name: str, frame: Frame) -> None:
        """Define a view."""

    def write(self, parts: Parts, frame: Frame) -> None:
        """Write a frame into a table."""


def execute(text: str, session: Session) -> Frame | None:
    """Run the statements of a text; return the frame of the last one, None if it is not a query.

    Raises InputInvalid if the text exceeds a limit or cannot be parsed.
    """
    result = None
    for node in statements(text):
        result = _executed(node, SqlReader(session.table), session)
    return result


def _executed(node: exp.Expr, reader: SqlReader, session: Session) -> Frame | None:
    match node:
        case exp.Query():
            return reader.rows(node)
        case exp.Create() if isinstance(node.expression, exp.Query):
            schema = node.this if isinstance(node.this, exp.Schema) else None
            parts = _parts(schema.this if schema is not None else node.this)
            frame = reader.rows(node.expression)
            names = [each.name for each in schema.expressions] if schema is not None else []
            frame = frame.listed_as(names) if names else frame
            if node.kind == "VIEW":
                session.define(".".join(parts), frame)
            else:
                session.write(parts, frame)
        case exp.Insert() if node.expression is not None:
            table = node.this.this if isinstance(node.this, exp.Schema) else node.this
            names = [each.name for each in node.this.expressions] if isinstance(node.this, exp.Schema) else []
            frame = reader.rows(node.expression)
            session.write(_parts(table), frame.listed_as(names) if names else frame)
        case exp.Merge():
            source = reader.source(node.args["using"])
            target = frozenset({_parts(node.this)[-1].casefold(), node.this.alias.casefold()})
            whens = node.args["whens"].expressions if node.args.get("whens") is not None else ()
            settings = [each for when in whens for each in _settings(when, reader)]
            session.write(_parts(node.this), assigned(source, reader.convert(node.args["on"]), settings, target))
    return None


def _parts(node: exp.Expr) -> Parts:
    return tuple(part.name for part in node.parts) if isinstance(node, exp.Table) else (node.name,)


def _settings(when: exp.Expr, reader: SqlReader) -> Iterator[Setting]:
    """Yield the columns that a branch of MERGE sets; None: all of the source's."""
    then = when.args.get("then")
    found: list[tuple[str, exp.Expr]] = []
    if isinstance(then, exp.Update):
        found = [(each.this.name, each.expression) for each in then.expressions if isinstance(each, exp.EQ)]
    elif isinstance(then, exp.Insert):
        columns = then.this.expressions if isinstance(then.this, exp.Tuple) else []
        values = then.expression.expressions if isinstance(then.expression, exp.Tuple) else []
        found = [(each.name, value) for each, value in zip(columns, values, strict=False)]
    elif then is None or not isinstance(then, exp.Update | exp.Insert):
        return
    yield from ((name, reader.convert(value)) for name, value in found)
    if not found:
        yield None
