"""Apicurio Registry."""
