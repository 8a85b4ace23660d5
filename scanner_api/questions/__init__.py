"""The questions that the dictionary answers: one typed function each, and the table that every face derives from."""
