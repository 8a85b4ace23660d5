"""Rules about what no other rule explains: settings, commands, builds and files that are not read."""
