"""Scheduled scans, and notifications of what they changed."""
