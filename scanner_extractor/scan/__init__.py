"""One scan: the kinds of source, phases, and the merge of all results."""
