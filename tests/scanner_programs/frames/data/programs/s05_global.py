from pyspark.sql import functions as F
frame = None
def load(topic):
    global frame
    frame = spark.read.format("kafka").option("subscribe", topic).load()
def parse(ddl):
    global frame
    frame = frame.select(F.from_json(F.col("value").cast("string"), ddl).alias("j")).select("j.*")
load("gl.in"); parse("p STRING, q STRING")
frame.select(F.concat("p", "q").alias("pq")).write.saveAsTable("gl.out")
