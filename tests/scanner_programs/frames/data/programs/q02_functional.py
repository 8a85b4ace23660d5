from typing import Callable, List
from pyspark.sql import DataFrame
import pyspark.sql.functions as F

Step = Callable[[DataFrame], DataFrame]


def compose(*steps: Step) -> Step:
    def run(df: DataFrame) -> DataFrame:
        for step in steps:
            df = step(df)
        return df
    return run


def parse(ddl: str) -> Step:
    return lambda df: df.select(F.from_json(F.col("value").cast("string"), ddl).alias("_")).select("_.*")


def keep(names: List[str]) -> Step:
    return lambda df: df.select(*names)


def add(**exprs) -> Step:
    def step(df):
        for name, e in exprs.items():
            df = df.withColumn(name, e if not isinstance(e, str) else F.expr(e))
        return df
    return step


flow = compose(parse("a INT, b INT, c STRING"), add(s="a + b", t=F.concat(F.col("c"), F.lit("!"))), keep(["s", "t"]))
flow(spark.readStream.format("kafka").option("subscribe", "fn.in").load()).writeStream.format("delta").start("/fn/out")
