"""The questions that the dictionary answers: one function each, ordered, in frozen rows."""
