"""Apicurio."""
