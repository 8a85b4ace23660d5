"""Read streaming SQL (ksqlDB and Flink): sources, sinks and column flows of statements. No I/O."""
