from pyspark.sql import functions as F

TABLES = [
    {"topic": "cdc.author", "ddl": "id INT, name STRING", "keep": ["id", "name"], "into": "lib.author"},
    {"topic": "cdc.book", "ddl": "id INT, title STRING, author INT, isbn STRING", "keep": ["id", "title", "author"], "into": "lib.book"},
]


def start(spec):
    df = spark.readStream.format("kafka").option("subscribe", spec["topic"]).load()
    df = df.select(F.from_json(F.get_json_object(F.col("value").cast("string"), "$.payload"), spec["ddl"]).alias("row"))
    cols = [F.col("row")[c].alias(c) for c in spec["keep"]]
    return df.select(cols).writeStream.format("delta").option("checkpointLocation", "/c/" + spec["into"]).toTable(spec["into"])


queries = [start(spec) for spec in TABLES]
for query in queries:
    query.awaitTermination()
