from pyspark.sql import functions as F
def make(topic):
    base = spark.read.format("kafka").option("subscribe", topic).load()
    def parse(ddl, **kw):
        nonlocal base
        base = base.select(F.from_json(F.col("value").cast("string"), ddl).alias("r")).select("r.*")
        return add(**kw)
    def add(**kw):
        return base.withColumns({k: F.expr(v) for k, v in kw.items()})
    return parse
df = make("nf.in")("w INT, h INT, label STRING", area="w * h", tag="concat('#', label)")
df.drop(*[c for c in df.columns if len(c) == 1]).write.format("parquet").save("/nf/out")
