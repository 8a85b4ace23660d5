from abc import ABC, abstractmethod
from functools import reduce
from typing import Sequence
from pyspark.sql import DataFrame, functions as F, Window

class Step(ABC):
    @abstractmethod
    def __call__(self, df: DataFrame) -> DataFrame: ...

class Parse(Step):
    def __init__(self, schema): self.schema = schema
    def __call__(self, df):
        return df.select(F.from_json(F.decode("value", "UTF-8"), self.schema).alias("p")).select("p.*")

class Rename(Step):
    def __init__(self, **names): self.names = names
    def __call__(self, df): return reduce(lambda d, kv: d.withColumnRenamed(*kv), self.names.items(), df)

class KeepLatest(Step):
    def __init__(self, keys, order): self.keys, self.order = keys, order
    def __call__(self, df):
        w = Window.partitionBy(*self.keys).orderBy(F.desc(self.order))
        return df.withColumn("_rn", F.row_number().over(w)).filter(F.col("_rn") == 1).drop("_rn")

class Mask(Step):
    def __init__(self, *cols): self.cols = cols
    def __call__(self, df): return df.select(*[F.sha2(c, 256).alias(c) if c in self.cols else F.col(c) for c in df.columns])

steps: Sequence[Step] = [Parse("custId STRING, mail STRING, city STRING, ver LONG"), Rename(custId="customer_id", mail="email"), KeepLatest(["customer_id"], "ver"), Mask("email")]
src = spark.read.format("kafka").option("subscribe", "crm.customers").load()
out = reduce(lambda df, step: step(df), steps, src)
out.write.mode("overwrite").saveAsTable("crm.customer_current")
