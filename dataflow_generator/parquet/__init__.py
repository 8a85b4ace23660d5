"""The graph as columns of Arrow, with the order of its rows told in them; only here and in `spark` is pyarrow known."""
