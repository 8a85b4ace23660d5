view: a { sql_table_name: shop.orders ;; dimension: id { sql: ${TABLE}.id ;; } }
