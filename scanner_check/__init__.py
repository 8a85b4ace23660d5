"""Who breaks if a change is merged: its edits, what rules find in them, and the report."""
