"""One module a revision, named by its number; the newest is `opening.REVISION`."""
