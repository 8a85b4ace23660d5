"""From tokens to a syntax tree: a tolerant recursive descent for both dialects, with bounded depth."""
