"""Commands about changes: proposed ones, what may be deleted, and what each scan changed."""
