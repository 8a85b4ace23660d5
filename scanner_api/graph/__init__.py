"""The generated graph: engines, generation, incremental updates, queries and exports."""
