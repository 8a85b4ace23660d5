d = spark.read.format("kafka").option("subscribe", "sp.in").load().selectExpr("from_json(cast(value as string), 'y INT, q STRING, amt DOUBLE, who STRING') as j").select("j.*")
d.createOrReplaceTempView("d")
spark.sql("SELECT * FROM (SELECT y, q, amt FROM d) PIVOT (sum(amt) FOR q IN ('Q1' AS first, 'Q2' AS second))").write.saveAsTable("sp.wide")
