"""Commands that run until they are stopped: server, assistant, scheduled scans, monitor."""
