"""The graph in Parquet files: schema, writer, reader; pyarrow is imported only here and in `spark`."""
