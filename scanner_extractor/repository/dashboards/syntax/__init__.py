"""Parsers of the formats of dashboards: LookML, TMDL, and bounded XML."""
