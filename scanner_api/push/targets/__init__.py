"""The targets of a push, a module each; `scanner_extractor/systems/__init__.py` has their rows."""
