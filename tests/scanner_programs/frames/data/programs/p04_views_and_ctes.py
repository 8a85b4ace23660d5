from pyspark.sql.functions import from_json

spark.readStream.format("kafka").option("subscribe", "pos.sales").load().selectExpr(
    "from_json(CAST(value AS STRING), 'store STRING, sku STRING, qty INT, price DOUBLE, sold TIMESTAMP') AS s"
).createOrReplaceTempView("raw_sales")
spark.sql("SELECT s.store, s.sku, s.qty * s.price AS revenue, s.sold FROM raw_sales").createOrReplaceTempView("sales")
query = """
WITH per_store AS (
  SELECT store, date_trunc('DAY', sold) AS day, SUM(revenue) AS total, COUNT(*) AS n
  FROM sales WHERE sku IS NOT NULL GROUP BY store, date_trunc('DAY', sold)
), big AS (SELECT * FROM per_store WHERE total > 100)
SELECT store AS shop, day, total, total / n AS mean FROM big
"""
spark.sql(query).writeStream.outputMode("complete").format("delta").option("checkpointLocation", "/c").toTable("mart.store_days")
