from string import Template
from textwrap import dedent
base = spark.readStream.format("kafka").option("subscribe", "web.hits").load()
base.selectExpr("from_json(cast(value as string), 'url STRING, ua STRING, ip STRING, ms INT, ts TIMESTAMP') h").selectExpr("h.*").withWatermark("ts", "10 minutes").createOrReplaceTempView("hits")
Q = Template(dedent("""
    SELECT window(ts, '$size').start AS slot,
           parse_url(url, 'HOST') AS host,
           count(*) AS n,
           percentile_approx(ms, 0.95) AS p95,
           count_if(ua LIKE '%bot%') AS bots
    FROM hits
    WHERE ip NOT LIKE '10.%'
    GROUP BY window(ts, '$size'), parse_url(url, 'HOST')
"""))
for size, table in (("1 minute", "web.hits_1m"), ("1 hour", "web.hits_1h")):
    spark.sql(Q.substitute(size=size)).writeStream.outputMode("append").option("checkpointLocation", "/c/" + table).toTable(table)
