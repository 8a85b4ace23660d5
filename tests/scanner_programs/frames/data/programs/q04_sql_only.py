schema = "STRUCT<trip: STRING, driver: STRING, km: DOUBLE, fare: STRUCT<base: DOUBLE, tip: DOUBLE>>"
spark.readStream.format("kafka").option("subscribe", "taxi.trips").load().createOrReplaceTempView("raw")
spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW trips AS SELECT from_json(CAST(value AS STRING), '{schema}') t FROM raw")
spark.sql("""
CREATE OR REPLACE TEMP VIEW fares AS
SELECT t.driver, t.km, t.fare.base + coalesce(t.fare.tip, 0) AS total FROM trips WHERE t.km > 0
""")
report = spark.sql("""
SELECT driver, round(sum(total) / sum(km), 2) AS per_km, max(total) best,
       CASE WHEN sum(km) > 1000 THEN 'far' ELSE 'near' END AS reach
FROM fares GROUP BY driver HAVING count(*) > 3 ORDER BY per_km DESC
""")
report.writeStream.outputMode("complete").format("delta").option("checkpointLocation", "/c").toTable("taxi.drivers")
