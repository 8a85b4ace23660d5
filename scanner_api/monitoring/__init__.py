"""Monitoring: the servers that are polled, the loop that polls them, and how it runs and ends."""
