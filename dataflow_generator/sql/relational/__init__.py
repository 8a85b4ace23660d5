"""SQL of databases, parsed by sqlglot: the tables that a query reads, and what each of its columns is derived from."""
