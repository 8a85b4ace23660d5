from pyspark.sql.functions import avg, col, count, from_json, lit, max as max_, session_window, window

g = spark.readStream.format("kafka").option("subscribe", "game.events").load().select(from_json(col("value").cast("string"), "player STRING, score INT, at TIMESTAMP, lvl INT").alias("g")).select("g.*").withWatermark("at", "10 minutes")
g.groupBy(window(col("at"), "10 minutes", "5 minutes"), col("lvl")).agg(avg("score").alias("mean"), count(lit(1)).alias("n")).select(col("window.start").alias("from"), col("window.end").alias("to"), "lvl", "mean", "n").writeStream.format("delta").option("checkpointLocation", "/a").toTable("game.levels")
g.groupBy(session_window("at", "30 minutes").alias("s"), "player").agg(max_("score").alias("best")).select("player", "s.start", "best").writeStream.format("delta").option("checkpointLocation", "/b").toTable("game.sessions")
