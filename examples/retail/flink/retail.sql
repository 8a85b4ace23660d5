CREATE TABLE clicks (
  page STRING,
  customer BIGINT,
  ms INT,
  clicked_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'
) WITH (
  'connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192',
  'properties.group.id' = 'flink-clicks', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);

CREATE TABLE orders (
  payload ROW<id STRING, customer_id BIGINT, placed_at STRING, total STRING>
) WITH (
  'connector' = 'kafka', 'topic' = 'cdc.orders', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192',
  'properties.group.id' = 'flink-orders', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);

CREATE TABLE customers (
  payload ROW<id BIGINT, name STRING, email STRING>
) WITH (
  'connector' = 'kafka', 'topic' = 'cdc.customers', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192',
  'properties.group.id' = 'flink-customers', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);

CREATE TABLE clicks_by_page (
  page STRING,
  seen BIGINT,
  slowest INT,
  PRIMARY KEY (page) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'clicks-by-page', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192',
  'key.format' = 'json', 'value.format' = 'json'
);

CREATE TABLE slow_clicks (
  page STRING,
  customer BIGINT
) WITH (
  'connector' = 'kafka', 'topic' = 'slow-clicks', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192', 'format' = 'json'
);

CREATE TABLE order_mails (
  order_id STRING,
  recipient STRING
) WITH (
  'connector' = 'kafka', 'topic' = 'order-mails', 'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192', 'format' = 'json'
);

CREATE TABLE orders_enriched (
  order_id STRING,
  placed_at STRING,
  customer_name STRING,
  customer_email STRING,
  total DOUBLE
) WITH (
  'connector' = 'kafka', 'topic' = 'orders-enriched',
  'properties.bootstrap.servers' = '127.0.0.1:29092,127.0.0.1:29192', 'format' = 'json'
);

CREATE VIEW named_clicks AS SELECT page, customer, ms FROM clicks WHERE page IS NOT NULL;

INSERT INTO order_mails
SELECT o.payload.id, UPPER(c.payload.email)
FROM orders AS o JOIN customers AS c ON o.payload.customer_id = c.payload.id
WHERE c.payload.email IS NOT NULL;

-- On into the warehouse, by the sink connector `warehouse-orders`.
INSERT INTO orders_enriched
SELECT o.payload.id, o.payload.placed_at, c.payload.name, LOWER(c.payload.email), CAST(o.payload.total AS DOUBLE)
FROM orders AS o JOIN customers AS c ON o.payload.customer_id = c.payload.id;

EXECUTE STATEMENT SET BEGIN
INSERT INTO clicks_by_page SELECT page, COUNT(*), MAX(ms) FROM named_clicks GROUP BY page;
INSERT INTO slow_clicks SELECT page, customer FROM named_clicks WHERE ms >= 10;
END;
