spark.readStream.format("kafka").option("subscribe", "rent.bookings").load().createOrReplaceTempView("k")
spark.sql("""
  SELECT b.id, g.name AS guest, g.age, upper(b.house.city) AS city
  FROM (SELECT from_json(string(value), 'id STRING, guests ARRAY<STRUCT<name: STRING, age: INT>>, house STRUCT<city: STRING, beds: INT>') AS b FROM k) q
  LATERAL VIEW explode(b.guests) x AS g
  WHERE b.house.beds > 1
""").writeStream.format("delta").option("checkpointLocation", "/c").toTable("rent.guests")
