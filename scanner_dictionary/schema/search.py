"""The tables of the name index that searches use; derived from the other tables, and rebuilt from them if deleted."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, String, UniqueConstraint

from scanner_dictionary.schema.column_types import declare, identity, must, parent

WORD = String().with_variant(String(collation="C"), "postgresql")
"""Text in the order of its code points in every database: a prefix is a range of the index then."""

search_term = declare(
    "search_term",
    "A name as it is spelled: a topic's, a subject's, a node's, a tag, an owner, or the last name in a column's path; "
    "or a word of documentation after a tab.",
    identity(),
    must("term", WORD, "the name, at most 200 characters of it"),
    UniqueConstraint("term", name="uq_search_term"),
)

search_word = declare(
    "search_word",
    "The end of a term from the start of one of its words: of `orderId` these are `orderid` and `id`.",
    Column("word", WORD, primary_key=True, doc="the rest of the term from there in lower case, at most 64 characters"),
    parent("term_id", "search_term", "the term", key=True),
    sqlite_with_rowid=False,
)

search_use = declare(
    "search_use",
    "Something that has a term as its name.",
    Column(
        "kind",
        Integer,
        primary_key=True,
        autoincrement=False,
        doc="1 topic, 2 node of the graph, 3 subject, 4 definition with a tag, 5 definition with a column of that "
        "name, 6 definition with a tag in a stream catalog, 7 column of the graph that no schema describes, 8 table "
        "with a column of that name, 9 tag, 10 owner, 11 definition and 12 topic with that word in its documentation",
    ),
    parent("term_id", "search_term", "the term", key=True),
    Column(
        "entity_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
        doc="key of the topic, flow_node, subject, schema_definition or catalog_table; 0 for a tag or owner",
    ),
    sqlite_with_rowid=False,
)

search_progress = declare(
    "search_progress",
    "Up to which key the rows of one kind are in the index; keys are assigned in ascending order.",
    Column(
        "kind",
        Integer,
        primary_key=True,
        autoincrement=False,
        doc="as in search_use; 5 stands for 4 and 11, too, 2 for 7, 9 for 10 and 12",
    ),
    must("last_id", Integer, "the largest key that is in the index; for 2, 6, 8 and 9 the scan whose rows are"),
)
