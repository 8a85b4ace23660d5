"""One module a revision, named by its number; the newest is `engine.open.REVISION`."""
