spark.readStream.format("kafka").option("subscribe", "lib.loans").load().selectExpr("from_json(CAST(value AS STRING), 'isbn STRING, member INT, due DATE, back DATE') l").select("l.*").createOrReplaceTempView("loans")
spark.sql("""
select member, isbn, datediff(coalesce(back, current_date()), due) as late,
       if(back is null, 'open', 'done') state,
       sum(case when back is null then 1 else 0 end) over (partition by member) as open_loans
from loans where due is not null
""").createOrReplaceTempView("l2")
spark.table("l2").filter("late > 0").withColumnsRenamed({"late": "days_late", "state": "status"}).writeStream.toTable("lib.late")
