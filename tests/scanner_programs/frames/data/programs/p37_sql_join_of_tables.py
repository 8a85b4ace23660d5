# table dw.product: product_id INT, name STRING, category INT
# table dw.category: id INT, label STRING
spark.readStream.format("kafka").option("subscribe", "shop.views").load().selectExpr("from_json(CAST(value AS STRING), 'product INT, user STRING, at TIMESTAMP') AS v").select("v.*").createOrReplaceTempView("views")
out = spark.sql("""
SELECT v.user, p.name AS product, c.label AS category,
       CASE WHEN c.label IS NULL THEN 'none' ELSE p.name END AS shown
FROM views v
JOIN dw.product p ON p.product_id = v.product
LEFT JOIN dw.category c ON c.id = p.category
WHERE v.at > '2024-01-01'
""")
out.writeTo("dw.views").append()
