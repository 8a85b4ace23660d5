from pyspark.sql import functions as F

e = (spark.readStream.format("kafka").option("subscribe", "dev.props").load()
     .select(F.from_json(F.col("value").cast("string"), "device STRING, props MAP<STRING, STRING>, n INT").alias("x")).select("x.*"))
a = e.select("device", F.explode("props").alias("name", "val"))
a.writeStream.format("delta").option("checkpointLocation", "/c1").toTable("dev.props_long")
e.select("device", F.col("props")["os"].alias("os"), F.element_at("props", "fw").alias("fw"), F.map_keys("props").alias("names")).writeStream.format("delta").option("checkpointLocation", "/c2").toTable("dev.props_wide")
