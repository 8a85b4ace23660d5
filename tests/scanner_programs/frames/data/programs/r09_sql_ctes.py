spark.read.format("kafka").option("subscribe", "ct.readings").load().createOrReplaceTempView("k")
spark.sql("""
WITH j AS (SELECT from_json(CAST(value AS STRING), 'sensor STRING, vals ARRAY<STRUCT<t: TIMESTAMP, v: DOUBLE>>') AS m FROM k),
     e AS (SELECT m.sensor, x.t, x.v FROM j LATERAL VIEW explode(m.vals) AS x),
     r AS (SELECT *, row_number() OVER (PARTITION BY sensor ORDER BY t DESC) rn, avg(v) OVER (PARTITION BY sensor) mean FROM e)
SELECT sensor, v AS latest, v - mean AS deviation, date_trunc('hour', t) AS hour FROM r WHERE rn = 1
""").write.mode("overwrite").saveAsTable("ct.latest")
