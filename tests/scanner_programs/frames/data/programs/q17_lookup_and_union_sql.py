# table ref.fx: cur STRING, rate DOUBLE
spark.read.format("kafka").option("subscribe", "pay.a").load().selectExpr("from_json(CAST(value AS STRING), 'pid STRING, amt DOUBLE, cur STRING') p").selectExpr("p.*").createOrReplaceTempView("a")
spark.read.format("kafka").option("subscribe", "pay.b").load().selectExpr("from_json(CAST(value AS STRING), 'ref STRING, cents BIGINT, ccy STRING') p").selectExpr("p.*").createOrReplaceTempView("b")
spark.sql("""
WITH allp AS (SELECT pid, amt, cur FROM a UNION ALL SELECT ref, cents / 100, ccy FROM b),
ranked AS (SELECT *, row_number() OVER (PARTITION BY pid ORDER BY amt DESC) AS rn FROM allp)
SELECT r.pid, r.amt * fx.rate AS eur, upper(r.cur) AS cur FROM ranked r INNER JOIN ref.fx fx ON fx.cur = r.cur WHERE rn = 1
""").write.insertInto("pay.all")
