from pyspark.sql import functions as F

df = spark.readStream.format("kafka").option("subscribe", "legacy.feed").load().select(F.from_json(F.col("value").cast("string"), "KUNDE STRING, BETRAG DOUBLE, DATUM STRING").alias("r")).select("r.*")
for old in df.columns:
    df = df.withColumnRenamed(old, old.lower())
NAMES = {"kunde": "customer", "betrag": "amount"}
for old, new in NAMES.items():
    df = df.withColumnRenamed(old, new)
df = df.withColumn("day", F.to_date("datum", "dd.MM.yyyy")).drop("datum")
df.writeStream.format("delta").option("checkpointLocation", "/c").toTable("legacy.amounts")
