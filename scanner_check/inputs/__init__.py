"""What a caller passes to a check: commits, proposed files, options, baselines."""
