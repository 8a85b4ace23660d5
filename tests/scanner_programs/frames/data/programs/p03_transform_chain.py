from functools import partial
from pyspark.sql import functions as f


def with_schema(df, ddl):
    return df.select(f.from_json(f.expr("CAST(value AS STRING)"), ddl).alias("r")).select("r.*")


def only_active(df, flag):
    return df.where(f.col(flag) == f.lit("A"))


def renamed(mapping):
    def inner(df):
        return df.select([f.col(c).alias(mapping.get(c, c)) for c in df.columns])
    return inner


result = (spark.readStream.format("kafka").option("subscribe", "hr.staff").load()
          .transform(with_schema, "id STRING, nm STRING, status STRING, boss STRING")
          .transform(partial(only_active, flag="status"))
          .transform(renamed({"nm": "name", "boss": "manager_id"})))
result.writeStream.format("iceberg").option("checkpointLocation", "/c").toTable("lake.hr.staff")
