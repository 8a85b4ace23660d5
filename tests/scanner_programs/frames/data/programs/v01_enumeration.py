from enum import Enum
from typing import NamedTuple
from pyspark.sql import functions as F

class Topic(str, Enum):
    ORDERS = "shop.orders.v2"
    REFUNDS = "shop.refunds.v2"

class Feed(NamedTuple):
    topic: Topic
    ddl: str
    amount: str

FEEDS = [Feed(Topic.ORDERS, "id STRING, gross DOUBLE, cur STRING", "gross"), Feed(Topic.REFUNDS, "id STRING, paid_back DOUBLE, cur STRING, why STRING", "-paid_back")]

def load(feed: Feed):
    return (spark.readStream.format("kafka").option("subscribe", feed.topic.value).load()
            .select(F.from_json(F.col("value").cast("string"), feed.ddl).alias("m"))
            .select("m.*").withColumn("amount", F.expr(feed.amount)).withColumn("kind", F.lit(feed.topic.name)))

ledger, *others = [load(f) for f in FEEDS]
for other in others:
    ledger = ledger.unionByName(other, allowMissingColumns=True)
ledger.select("id", "amount", "cur", "kind", F.coalesce("why", F.lit("n/a")).alias("reason")).writeStream.format("iceberg").option("checkpointLocation", "/c").toTable("fin.ledger")
