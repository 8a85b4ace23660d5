from abc import ABC, abstractmethod
from pyspark.sql import functions as F
class Stage(ABC):
    def __or__(self, other):
        return Chain([self, other])
    @abstractmethod
    def __call__(self, df): ...
class Chain(Stage):
    def __init__(self, stages): self.stages = stages
    def __or__(self, other): return Chain(self.stages + [other])
    def __call__(self, df):
        for s in self.stages: df = s(df)
        return df
class Parse(Stage):
    def __init__(self, ddl): self.ddl = ddl
    def __call__(self, df): return df.select(F.from_json(F.col("value").cast("string"), self.ddl).alias("p")).select("p.*")
class Rename(Stage):
    def __init__(self, **names): self.names = names
    def __call__(self, df):
        return df.select([F.col(c).alias(self.names.get(c, c)) for c in df.columns])
class Only(Stage):
    def __init__(self, cond): self.cond = cond
    def __call__(self, df): return df.filter(self.cond)
p = Parse("cust STRING, amt DECIMAL(10,2), ok BOOLEAN") | Only("ok") | Rename(cust="customer", amt="amount")
p(spark.readStream.format("kafka").option("subscribe", "cp.in").load()).writeStream.toTable("cp.out")
