from abc import ABC, abstractmethod
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


class Pipeline(ABC):
    topic: str = ""
    schema: str = ""

    def __init__(self, session, target):
        self.session = session
        self.target = target

    def extract(self) -> DataFrame:
        raw = self.session.readStream.format("kafka").option("subscribe", self.topic).load()
        return raw.withColumn("json", F.col("value").cast("string")).withColumn("d", F.from_json("json", self.schema)).select("d.*")

    @abstractmethod
    def transform(self, df: DataFrame) -> DataFrame:
        ...

    def execute(self):
        return self.transform(self.extract()).writeStream.format("parquet").option("checkpointLocation", "/c").start(self.target)


class Invoices(Pipeline):
    topic = "billing.invoices"
    schema = "number STRING, net DOUBLE, vat DOUBLE, issued DATE"

    def transform(self, df):
        gross = F.round(F.col("net") + F.col("vat"), 2)
        return df.withColumn("gross", gross).drop("net", "vat").withColumnRenamed("number", "invoice_number")


Invoices(spark, "/lake/invoices").execute()
