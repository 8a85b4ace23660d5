import json
from pyspark.sql.functions import col, from_json, lit, sha1


class Base:
    CONFIG = '{"topic": "inh.in", "pii": ["mail", "phone"], "target": "inh.out"}'

    def __init__(self):
        self.conf = json.loads(self.CONFIG)

    @property
    def source(self):
        return spark.readStream.format("kafka").option("subscribe", self.conf["topic"]).load()

    @staticmethod
    def decode(df, ddl):
        return df.select(from_json(col("value").cast("string"), ddl).alias("x")).selectExpr("x.*")

    def hide(self, df):
        for name in self.conf["pii"]:
            if name in df.columns:
                df = df.withColumn(name, sha1(col(name)))
        return df

    def run(self):
        df = self.build(self.source)
        self.save(df)

    def save(self, df):
        df.writeStream.format("delta").option("checkpointLocation", "/c").toTable(self.conf["target"])


class Child(Base):
    def build(self, df):
        df = self.decode(df, "id INT, mail STRING, city STRING")
        return super().hide(df).withColumn("kind", lit("child"))


Child().run()
