"""Example plug-ins of scanner."""
