from pyspark.sql import functions as F
r = spark.readStream.format("kafka").option("subscribe", "r.in").load().select(F.from_json(F.col("value").cast("string"), "id INT, old STRUCT<v: INT, w: STRING>, new STRUCT<v: INT, w: STRING>").alias("x")).select("x.*")
fields = [f for f in r.schema["new"].dataType.fieldNames()]
diff = [F.when(~F.col(f"old.{f}").eqNullSafe(F.col(f"new.{f}")), F.col(f"new.{f}")).alias(f"{f}_changed") for f in fields]
r.select("id", *diff).dropna(how="all", subset=[f"{f}_changed" for f in fields]).writeStream.toTable("r.out")
