"""Who uses a thing: the stored graph, programs by their code, other repositories and dictionaries."""
