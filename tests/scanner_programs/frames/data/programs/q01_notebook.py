# Databricks notebook source
# MAGIC %md
# MAGIC # Orders
# COMMAND ----------
from pyspark.sql.functions import *
from pyspark.sql.types import *
# COMMAND ----------
topic = "nb.orders"
orderSchema = (StructType()
  .add("orderId", LongType())
  .add("customer", StructType().add("id", StringType()).add("tier", StringType()))
  .add("lines", ArrayType(StructType([StructField("sku", StringType()), StructField("n", IntegerType())]))))
# COMMAND ----------
bronze = spark.readStream.format("kafka").option("subscribe", topic).load()
silver = (bronze
  .select(col("key").cast("string").alias("k"), from_json(col("value").cast("string"), orderSchema).alias("o"))
  .select("k", "o.*")
  .withColumn("line", explode(col("lines")))
  .withColumn("sku", col("line.sku"))
  .withColumn("n", col("line")["n"])
  .drop("line", "lines"))
# COMMAND ----------
gold = silver.groupBy("sku", col("customer.tier").alias("tier")).agg(sum("n").alias("pieces"), approx_count_distinct("customer.id").alias("buyers"))
gold.writeStream.outputMode("complete").option("checkpointLocation", "/c").table("nb.gold")
