"""Identity of datasets, clusters and jobs across sources: normal forms of names, aliases, merging."""
