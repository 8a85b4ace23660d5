# table ops.blocklist: ip STRING, reason STRING
from pyspark.sql.functions import col, from_json

c = spark.readStream.format("kafka").option("subscribe", "net.conns").load().select(from_json(col("value").cast("string"), "ip STRING, port INT, bytes LONG").alias("c")).select("c.*")
bad = spark.table("ops.blocklist")
c.join(bad, "ip", "left_semi").select("ip", "port").writeStream.format("delta").option("checkpointLocation", "/a").toTable("net.blocked")
c.join(bad, c.ip == bad.ip, "left_anti").select("ip", "bytes").writeStream.format("delta").option("checkpointLocation", "/b").toTable("net.allowed")
