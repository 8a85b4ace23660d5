"""The command line: commands that parse options, call `scanner_api` and render the result."""
