from pyspark.sql import functions as F
from dataclasses import dataclass
@dataclass
class Copy:
    col: str
@dataclass
class Calc:
    name: str
    sql: str
STEPS = [Copy("a"), Calc("ab", "a + b"), ("ren", "b", "bee"), {"op": "const", "as": "src", "v": "x"}]
def column(step):
    match step:
        case Copy(col): return F.col(col)
        case Calc(name=n, sql=s): return F.expr(s).alias(n)
        case ("ren", old, new): return F.col(old).alias(new)
        case {"op": "const", "as": n, "v": v}: return F.lit(v).alias(n)
d = spark.read.format("kafka").option("subscribe", "mc.in").load().select(F.from_json(F.col("value").cast("string"), "a INT, b INT, c STRING").alias("j")).select("j.*")
d.select([column(s) for s in STEPS]).write.saveAsTable("mc.out")
