from pyspark.sql import Window
from pyspark.sql.functions import col, from_json, row_number

batch = spark.read.format("kafka").option("subscribe", "crm.contacts").load()
contacts = batch.select(from_json(col("value").cast("string"), "id STRING, mail STRING, version LONG").alias("c"), col("offset")).select("c.*", "offset")
w = Window.partitionBy("id").orderBy(col("version").desc(), col("offset").desc())
latest = contacts.withColumn("rn", row_number().over(w)).filter("rn = 1").drop("rn", "offset")
latest.write.mode("overwrite").saveAsTable("crm.contacts_latest")
