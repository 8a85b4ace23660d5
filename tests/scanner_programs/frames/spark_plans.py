"""What programs of PySpark write, by the plans that Spark itself makes of them: `python spark_plans.py PROGRAM…`.

Nothing is started: sources are empty frames with the columns of the source, writers note the frame that they are given.
Prints JSON: for each program and each target, the origins of each column, and the fields that decide its rows.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import types
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
from pyspark.sql.readwriter import DataFrameReader
from pyspark.sql.streaming.readwriter import DataStreamReader

KAFKA = "key BINARY, value BINARY, topic STRING, partition INT, offset LONG, timestamp TIMESTAMP, timestampType INT"
_TOPICS = "topics"
_TABLE = re.compile(r"^# table (\S+): (.+)$", re.MULTILINE)


class Oracle:
    """Runs programs against a session whose sources and sinks are noted."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.origins: dict[int, tuple[str, str]] = {}
        self.written: list[tuple[str, bool, DataFrame]] = []
        self.tables: dict[str, str] = {}
        self._patch()

    def run(self, text: str, path: str) -> dict[str, dict[str, object]]:
        """Return the columns of each target of a program."""
        self.written.clear()
        self.origins.clear()
        self.tables = dict(_TABLE.findall(text))
        for name, ddl in self.tables.items():
            self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {name.partition('.')[0]}")
            self.spark.sql(f"CREATE TABLE IF NOT EXISTS {name} ({ddl}) USING parquet")
        exec(compile(text, path, "exec"), {"__name__": "__main__", "spark": self.spark})
        found: dict[str, dict[str, object]] = {}
        for target, is_topic, frame in self.written:
            columns, used = Plan(self, frame).columns(is_topic=is_topic)
            known = found.setdefault(target, {"columns": {}, "uses": []})
            known["columns"] = {**known["columns"], **columns}  # type: ignore[dict-item]
            known["uses"] = sorted({*known["uses"], *used})  # type: ignore[misc]
        return found

    def label(self, frame: DataFrame, name: str) -> DataFrame:
        """Note the columns of a source."""
        for column, number in outputs(frame):
            self.origins[number] = (name, column)
        return frame

    def _patch(self) -> None:
        oracle = self
        for reader in (DataFrameReader, DataStreamReader):
            reader.format = lambda self, kind: _noted(self, "kind", kind)
            reader.option = lambda self, key, value: _noted(self, "options", {**_options(self), key: value})
            reader.options = lambda self, **given: _noted(self, "options", {**_options(self), **given})
            reader.load = lambda self, *_, **given: oracle._kafka({**_options(self), **given})
            reader.table = lambda self, name: oracle.spark.table(name)
        for frame in (DataFrame, ClassicFrame):
            frame.writeStream = property(lambda self: Writer(oracle, self))
            frame.write = property(lambda self: Writer(oracle, self))
            frame.writeTo = lambda self, name: Writer(oracle, self, {"path": name})
        delta, tables = types.ModuleType("delta"), types.ModuleType("delta.tables")
        tables.DeltaTable = type("DeltaTable", (), {"forName": staticmethod(lambda _, name: Merge(oracle, name))})
        sys.modules |= {"delta": delta, "delta.tables": tables}

    def _kafka(self, options: dict[str, str]) -> DataFrame:
        """Return the records of a topic as a table of the catalog: copies of it, as in a self join, keep its name."""
        topic = options["subscribe"]
        name = f"{_TOPICS}.t{topic.encode().hex()}"
        self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {_TOPICS}")
        self.spark.sql(f"CREATE TABLE IF NOT EXISTS {name} ({KAFKA}) USING parquet")
        return self.spark.table(name)


def _relation(found: dict[str, str]) -> str:
    """Return the name of a table, or the topic that it stands for."""
    if found["database"] == _TOPICS:
        return bytes.fromhex(found["table"][1:]).decode()
    return f"{found['database']}.{found['table']}"


def _noted(reader: object, name: str, value: object) -> object:
    reader.__dict__[f"_noted_{name}"] = value
    return reader


def _options(reader: object) -> dict[str, str]:
    return dict(reader.__dict__.get("_noted_options", {}))


class Writer:
    """A writer that notes its frame."""

    def __init__(self, oracle: Oracle, frame: DataFrame, options: dict[str, str] | None = None) -> None:
        self.oracle, self.frame, self.options = oracle, frame, options or {}

    def format(self, kind: str) -> Writer:
        return self.option("kind", kind)

    def option(self, key: str, value: str) -> Writer:
        self.options[key] = value
        return self

    def foreachBatch(self, function: object) -> Writer:  # noqa: N802
        function(self.frame, 0)  # type: ignore[operator]
        return self.option("kind", "done")

    def start(self, path: str | None = None, **_: object) -> Writer:
        kind = self.options.get("kind")
        if kind == "kafka":
            self.oracle.written.append((self.options.get("topic", "?"), True, self.frame))
        elif kind != "done":
            target = path or self.options.get("path") or self.options["dbtable"]
            self.oracle.written.append((target, False, self.frame))
        return self

    save = saveAsTable = insertInto = toTable = table = parquet = start  # noqa: N815 - PySpark's names

    def append(self) -> Writer:
        return self.start(self.options["path"])

    def __getattr__(self, _: str) -> object:
        return lambda *_, **__: self


class Merge:
    """A merge of Delta Lake that notes its source."""

    def __init__(self, oracle: Oracle, name: str) -> None:
        self.oracle, self.name = oracle, name

    def merge(self, frame: DataFrame, _: str) -> Merge:
        self.oracle.written.append((self.name, False, frame))
        return self

    def __getattr__(self, _: str) -> object:
        return lambda *_, **__: self


def outputs(frame: DataFrame) -> list[tuple[str, int]]:
    """Return the names and numbers of the columns of a frame."""
    listed = frame._jdf.queryExecution().analyzed().output()
    nodes = [json.loads(listed.apply(at).toJSON())[0] for at in range(listed.size())]
    return [(node["name"], node["exprId"]["id"]) for node in nodes]


def tree(nodes: list[dict]) -> dict:
    """Return the tree of what Spark prints as a list."""
    rest = iter(nodes)

    def take() -> dict:
        node = next(rest)
        return {
            **node,
            "inner": [take() for _ in range(node["num-children"])],
            "kind": node["class"].rsplit(".", 1)[-1],
        }

    return take()


def _attribute(number: int) -> dict:
    return {"kind": "AttributeReference", "exprId": {"id": number}, "inner": []}


_KEEPING = {
    "Cast",
    "Alias",
    "CollectList",
    "CollectSet",
    "AggregateExpression",
    "Explode",
    "PosExplode",
    "Max",
    "Min",
} | {
    "First",
    "Last",
    "PreciseTimestampConversion",
    "ArrayFilter",
    "KnownNullable",
    "AssertNotNull",
    "ElementAt",
    "GetArrayItem",
    "GetMapValue",
    "KnownFloatingPointNormalized",
}
_PARSING = {"JsonToStructs", "CsvToStructs"}


class Plan:
    """The analysed plan of a frame."""

    def __init__(self, oracle: Oracle, frame: DataFrame) -> None:
        self.origins = dict(oracle.origins)
        self.defined: dict[int, list[dict]] = {}
        self.deciding: list[dict] = []
        self.shared: dict[int, list[int]] = {}
        self.frame = frame
        self._visit(tree(json.loads(frame._jdf.queryExecution().analyzed().toJSON())))

    def columns(self, *, is_topic: bool) -> tuple[dict[str, list[str]], list[str]]:
        """Return the origins of each column, or of each field of the message, and those that decide the rows."""
        columns: dict[str, list[str]] = {}
        used: set[str] = set()
        for name, number in outputs(self.frame):
            node = _attribute(number)
            if is_topic and name == "value":
                for field, value in self._fields(node, ()) or []:
                    columns[field] = self._shown(self._resolved(value, ()))
            elif is_topic:
                used |= {*self._shown(self._resolved(node, ()))}
            else:
                columns[name] = self._shown(self._resolved(node, ()))
        for condition in self.deciding:
            used |= {*self._shown(self._resolved(condition, ()))}
        return columns, sorted(used.union(*columns.values()))

    def _visit(self, node: dict) -> None:
        if node["kind"] == "LogicalRelation" and node.get("catalogTable"):
            found = node["catalogTable"]["identifier"]
            for attribute in node["output"]:
                self.origins[attribute[0]["exprId"]["id"]] = (_relation(found), attribute[0]["name"])
        for key in ("projectList", "aggregateExpressions", "windowExpressions"):
            for listed in node.get(key) or []:
                self._define(tree(listed))
        for key in ("condition", "groupingExpressions", "partitionSpec", "orderSpec", "order", "keys", "eventTime"):
            value = node.get(key)
            if isinstance(value, list) and value:
                self.deciding += [tree(each) for each in (value if isinstance(value[0], list) else [value])]
        if node["kind"] == "Generate":
            generator = tree(node["generator"])
            parts = generator["inner"] if generator["kind"] in ("JsonTuple",) else []
            for at, attribute in enumerate(node["generatorOutput"]):
                self._add(
                    attribute[0]["exprId"]["id"], self._generated(generator, parts, at, len(node["generatorOutput"]))
                )
        if node["kind"] == "Union":
            first, *others = [self._outputs(each) for each in node["inner"]]
            for other in others:
                for mine, theirs in zip(first, other, strict=True):
                    self._add(mine, _attribute(theirs))
        if node["kind"] == "Expand":
            for listed in node["projections"]:
                for attribute, value in zip(node["output"], listed, strict=True):
                    self._add(attribute[0]["exprId"]["id"], tree(value))
        if node["kind"] == "CTERelationDef":
            self.shared[node["id"]] = self._outputs(node["inner"][0])
        for each in node["inner"]:
            self._visit(each)
        if node["kind"] == "CTERelationRef":
            for attribute, number in zip(node["output"], self.shared[node["cteId"]], strict=True):
                self._add(attribute[0]["exprId"]["id"], _attribute(number))

    @staticmethod
    def _generated(generator: dict, parts: list[dict], at: int, width: int) -> dict:
        if parts:
            return {
                "kind": "GetJsonObject",
                "inner": [parts[0], {"kind": "Literal", "value": parts[at + 1]["value"], "inner": []}],
            }
        if generator["kind"] == "PosExplode" and at == 0:
            return {"kind": "Literal", "inner": []}
        return generator

    def _outputs(self, node: dict) -> list[int]:
        for key in ("projectList", "output"):
            if isinstance(node.get(key), list):
                return [each[0]["exprId"]["id"] for each in node[key]]
        if isinstance(node.get("aggregateExpressions"), list):
            return [each[0]["exprId"]["id"] for each in node["aggregateExpressions"]]
        return self._outputs(node["inner"][0]) if node["inner"] else []

    def _add(self, number: int, node: dict) -> None:
        self.defined.setdefault(number, []).append(node)

    def _define(self, node: dict) -> None:
        if node["kind"] == "Alias":
            self._add(node["exprId"]["id"], node["inner"][0])
        for each in node["inner"]:
            self._define(each)

    def _resolved(
        self, node: dict, path: tuple[str, ...], seen: tuple[int, ...] = ()
    ) -> set[tuple[str, str, tuple[str, ...]]]:
        kind, inner = node["kind"], node["inner"]
        if kind in ("AttributeReference", "NamedLambdaVariable"):
            number = node["exprId"]["id"]
            found = {(*self.origins[number], path)} if number in self.origins else set()
            if number not in seen:
                for each in self.defined.get(number, ()):
                    found |= self._resolved(each, path, (*seen, number))
            return found
        lambdas = [each for each in inner if each["kind"] == "LambdaFunction"]
        for each in lambdas:
            for at, variable in enumerate(each["inner"][1:]):
                source = inner[0] if kind != "ArrayAggregate" or at else inner[1]
                self.defined.setdefault(
                    variable["exprId"]["id"], [inner[0] if kind == "ArrayAggregate" and at else source]
                )
        if kind == "ArrayTransform" and path:
            return self._resolved(lambdas[0]["inner"][0], path, seen)
        if kind == "LambdaFunction":
            return self._resolved(inner[0], (), seen)
        if kind in ("GetStructField", "GetArrayStructFields"):
            return self._resolved(inner[0], (self._field(node), *path), seen)
        if kind in _PARSING:
            return {(topic, column, (*own, *path)) for topic, column, own in self._resolved(inner[0], (), seen)}
        if kind == "GetJsonObject":
            steps = tuple(re.sub(r"\[\d+\]", "", str(inner[1]["value"])).removeprefix("$.").split("."))
            return {(topic, column, (*own, *steps)) for topic, column, own in self._resolved(inner[0], (), seen)}
        if kind == "CreateArray" and path:
            return set().union(*(self._resolved(each, path, seen) for each in inner))
        if kind == "CreateNamedStruct" and path:
            members = zip(inner[::2], inner[1::2], strict=True)
            return next(
                (self._resolved(value, path[1:], seen) for name, value in members if str(name.get("value")) == path[0]),
                set(),
            )
        found = set()
        if kind == "UpdateFields" and path:
            edits = {each["name"]: each for each in node["inner"][1:] if isinstance(each.get("name"), str)}
            if path[0] in edits:
                return self._resolved(edits[path[0]]["inner"][0], path[1:], seen)
            return self._resolved(inner[0], path, seen)
        for at, each in enumerate(inner):
            if lambdas and at == 0 and kind != "ArrayFilter":
                continue
            found |= self._resolved(each, path if kind in _KEEPING and at == 0 else (), seen)
        return found

    @staticmethod
    def _field(node: dict) -> str:
        if isinstance(node.get("field"), dict):
            return str(node["field"]["name"])
        if isinstance(node.get("name"), str):
            return str(node["name"])
        kind = node["inner"][0].get("dataType")
        return str(kind["fields"][node["ordinal"]]["name"]) if isinstance(kind, dict) and "fields" in kind else "?"

    def _fields(self, node: dict, seen: tuple[int, ...]) -> list[tuple[str, dict]] | None:
        if node["kind"] == "AttributeReference":
            number = node["exprId"]["id"]
            found = (self._fields(each, (*seen, number)) for each in self.defined.get(number, ()) if number not in seen)
            return next((each for each in found if each), None)
        if node["kind"] == "StructsToJson" and node["inner"][0]["kind"] == "CreateNamedStruct":
            members = node["inner"][0]["inner"]
            return [(str(name["value"]), value) for name, value in zip(members[::2], members[1::2], strict=True)]
        return self._fields(node["inner"][0], seen) if node["kind"] in ("Cast", "Alias") else None

    @staticmethod
    def _shown(found: set[tuple[str, str, tuple[str, ...]]]) -> list[str]:
        listed = set()
        for name, column, path in found:
            if column == "value":
                listed.add(".".join((name, *path)))
            elif column == "key":
                listed.add(f"{name}.@key")
            elif column not in KAFKA.replace(",", " ").split():
                listed.add(".".join((name, column, *path)))
        return sorted(listed)


def main(paths: list[str]) -> None:
    """Print the truth of programs."""
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    oracle = Oracle(spark)
    found = {Path(path).stem: oracle.run(Path(path).read_text(), path) for path in paths}
    sys.stdout.write(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
