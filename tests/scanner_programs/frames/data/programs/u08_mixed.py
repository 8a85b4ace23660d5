from pyspark.sql import functions as F
def build(spec):
    df = spark.readStream.format("kafka").option("subscribe", spec["topic"]).load()
    df = df.select(F.from_json(F.col("value").cast("string"), spec["ddl"]).alias("r")).select("r.*")
    for name, rule in spec.get("derive", {}).items():
        df = df.withColumn(name, rule(df) if callable(rule) else F.expr(rule))
    return df.select(*spec["out"])
SPEC = dict(topic="d.in", ddl="n INT, m INT, s STRING", derive={"sum": "n + m", "tag": lambda d: F.concat(d.s, F.lit("-"), d["n"].cast("string"))}, out=["sum", "tag"])
build(SPEC).writeStream.toTable("d.out")
