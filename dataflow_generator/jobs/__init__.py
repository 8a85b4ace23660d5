"""Who makes what of which data: jobs, the datasets they read and write, and flows between columns. No I/O."""
