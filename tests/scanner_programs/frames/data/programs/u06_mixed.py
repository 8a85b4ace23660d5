from pyspark.sql import functions as F
a = spark.read.format("kafka").option("subscribe", "p.a").load().select(F.from_json(F.col("value").cast("string"), "id INT, x STRING, t TIMESTAMP").alias("v")).select("v.*")
b = spark.read.format("kafka").option("subscribe", "p.b").load().select(F.from_json(F.col("value").cast("string"), "id INT, y STRING, t TIMESTAMP").alias("v")).select("v.*")
j = a.join(b, [a.id == b.id, b.t >= a.t], "inner").select(a["*"], b["y"], b.t.alias("t2")) if False else a.join(b, [a.id == b.id, b.t >= a.t], "inner").select(a.id, a.x, b["y"], b.t.alias("t2"))
j.subtract(j.where("x = y")).write.saveAsTable("p.joined")
