"""Readers of connector families: one module for each product or group of similar products."""
