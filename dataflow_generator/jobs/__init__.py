"""Jobs of each kind (connectors, statements, …): the datasets that they read and write, and their column flows."""
