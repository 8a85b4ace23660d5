"""Parse tokens into a syntax tree: a tolerant recursive descent for both dialects, with bounded depth."""
