from pyspark.sql import Column, functions as F


def clean(name) -> Column:
    return F.lower(F.trim(F.col(name)))


def either(*names) -> Column:
    return F.coalesce(*[F.col(n) for n in names])


def amount(net: Column, rate: Column = None) -> Column:
    rate = F.lit(0.19) if rate is None else rate
    return (net * (1 + rate)).cast("decimal(12,2)")


k = spark.readStream.format("kafka").option("subscribe", "erp.items").load().select(F.from_json(F.col("value").cast("string"), "ean STRING, sku STRING, Name STRING, net DOUBLE, vat DOUBLE").alias("i")).select("i.*")
k.select(either("ean", "sku").alias("code"), clean("Name").alias("name"), amount(F.col("net")).alias("std"), amount(k.net, k.vat).alias("gross")).writeStream.format("delta").option("checkpointLocation", "/c").toTable("erp.items")
