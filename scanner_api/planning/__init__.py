"""Migrations in steps that break no reader: what a change is, its steps, and which of them are done."""
