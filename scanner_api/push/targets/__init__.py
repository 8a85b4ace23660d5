"""The targets of a push, a module each; `scanner_extractor/push_targets.py` has their rows."""
