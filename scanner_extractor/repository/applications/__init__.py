"""Applications: which program reads and writes which topic, by its settings, its deployment and its source code."""
