"""Writing lineage into catalogs: a plan of what differs, the requests for it, and a journal that can take it back."""
