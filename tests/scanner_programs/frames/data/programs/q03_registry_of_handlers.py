from pyspark.sql import functions as F

HANDLERS = {}


def handler(topic):
    def mark(fn):
        HANDLERS[topic] = fn
        return fn
    return mark


@handler("reg.users")
def users(df):
    s = df.withColumn("d", F.from_json("j", "uid STRING, nick STRING, born DATE")).select("d.*")
    return s.select("uid", F.upper("nick").alias("nick"), F.year("born").alias("year")), "reg.dim_user"


@handler("reg.posts")
def posts(df):
    s = df.withColumn("d", F.from_json("j", "pid STRING, uid STRING, text STRING")).select("d.*")
    return s.withColumn("words", F.size(F.split("text", " "))).drop("text"), "reg.fact_post"


for topic, fn in HANDLERS.items():
    raw = spark.readStream.format("kafka").option("subscribe", topic).load().select(F.col("value").cast("string").alias("j"))
    out, table = fn(raw)
    out.writeStream.format("delta").option("checkpointLocation", f"/c/{table}").toTable(table)
