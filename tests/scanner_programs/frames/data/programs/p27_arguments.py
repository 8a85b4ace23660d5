import argparse
from pyspark.sql import functions as F


def options(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--source-topic", default="fleet.gps")
    parser.add_argument("--target", default="fleet.positions")
    parser.add_argument("--keep", nargs="*", default=["truck", "lat", "lon"])
    return parser.parse_args(argv)


def main():
    args = options([])
    df = spark.readStream.format("kafka").option("subscribe", args.source_topic).load()
    df = df.select(F.from_json(F.col("value").cast("string"), "truck STRING, lat DOUBLE, lon DOUBLE, fuel DOUBLE").alias("g")).select("g.*")
    df.select(args.keep).writeStream.format("delta").option("checkpointLocation", "/c").toTable(args.target)


if __name__ == "__main__":
    main()
