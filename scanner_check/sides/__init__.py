"""What is and what is proposed: commits, their programs, and the graph with proposed jobs."""
