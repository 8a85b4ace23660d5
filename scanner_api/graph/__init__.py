"""The generated graph: engines, generation, queries and exports."""
