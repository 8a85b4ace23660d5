from dataclasses import dataclass, field
from pyspark.sql import functions as F, DataFrame
@dataclass
class Route:
    topic: str
    kind: str
    table: str = "x"
    columns: list = field(default_factory=lambda: ["id"])
def shape(df: DataFrame, r: Route) -> DataFrame:
    match r.kind:
        case "full":
            return df.select("d.*")
        case "keys":
            return df.select(*[F.col(f"d.{c}") for c in r.columns])
        case _:
            return df
routes = [Route("mt.a", "full", "mt.full"), Route("mt.b", "keys", "mt.keys", ["id", "when"])]
for r in routes:
    j = spark.readStream.format("kafka").option("subscribe", r.topic).load().select(F.from_json(F.col("value").cast("string"), "id INT, when DATE, what STRING").alias("d"))
    shape(j, r).writeStream.toTable(r.table)
