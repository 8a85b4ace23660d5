"""Monitor connectors, queries and statements: observed states become run events, with the open runs in a journal."""
