"""Emit."""
