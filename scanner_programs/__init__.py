"""What programs send to and receive from topics, read from their source code."""
