"""One module for each command: it parses options, calls the library and prints."""
