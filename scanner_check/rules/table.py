"""The rules of `check-change`: what each finding means, how to fix it, and the text of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scanner_check.rules.data_rules import OUTPUT, REPLACE, REPLACE_TOPIC, REVIEW, ROWS, SCAN, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: *meaning* is one sentence, *help* the next step, *steps* the way there if it takes several.

    *example_bad* is a change with a finding, *example_good* one without. Pages of docs/rules derive from it.
    """

    name: str
    meaning: str
    help: str
    example_bad: str
    example_good: str
    steps: tuple[str, ...] = ()


_ROWS: tuple[Row, ...] = (
    (
        "copies-differ",
        "A schema changes, and other files with the same text do not.",
        "change every copy, or let one module publish the schema",
        "orders/order.avsc changes; billing/order.avsc stays",
        "both files change",
        ("Change the copies that the finding lists.", "Replace the copies by a published artifact."),
    ),
    (
        "record-field-removed",
        "Code no longer writes a field of a message, and the topic's schema does not change.",
        "keep the field until every reader has moved, and change the schema with the code",
        "- BigDecimal total;",
        "  BigDecimal total;\n+ BigDecimal amount;",
        REPLACE,
    ),
    (
        "record-field-retyped",
        "Code writes a field of a message with another type, and the topic's schema does not change.",
        "add a field with the new type, and change the schema with the code",
        "- BigDecimal total;\n+ String total;",
        "  BigDecimal total;\n+ String totalText;",
        REPLACE,
    ),
    (
        "record-field-computed",
        "Code computes a field of a message from other values than before.",
        "tell the readers of the topic what the values mean now, or write them to a further field",
        "- total: order.total\n+ total: order.paid ? 0 : order.total",
        "+ totalDue: order.paid ? 0 : order.total",
        REPLACE,
    ),
    (
        "record-key-changed",
        "Code sends records with another key or to another partition.",
        "keep the key, or write the records with the new key to a new topic",
        "- send(topic, order.id, order)\n+ send(topic, order.customer, order)",
        "  send(topic, order.id, order)",
        REPLACE_TOPIC,
    ),
    (
        "record-format-changed",
        "Code serializes records in another way, or with other headers.",
        "write the new format to a new topic until every reader has moved",
        "- json.dumps(order)\n+ msgpack.packb(order)",
        "  json.dumps(order)",
        REPLACE_TOPIC,
    ),
    (
        "record-condition-changed",
        "Code sends records under another condition than before.",
        "check with the readers whether they need the records that are no longer sent, or can take the further ones",
        "+ if (order.paid)\n    send(order)",
        "  send(order)",
        REVIEW,
    ),
    (
        "record-field-expected",
        "A reader's record class gets a field that no known program writes.",
        "write the field first, or make the reader accept messages without it",
        "+ BigDecimal discount;",
        "+ BigDecimal total;",
        (),
    ),
    (
        "code-changed",
        "Code that reaches records changes, and its effect on them is not determined.",
        "review the changed lines with the readers of the topic",
        '- record.put("total", total)\n+ record.put("total", total.negate())',
        '- log.info("sent")\n+ log.debug("sent")',
        REVIEW,
    ),
    (
        "not-judged",
        "A relevant setting, library, statement or command changes, and its effect is not determined.",
        "check by hand whether records change",
        "+ transforms: mask",
        "- tasks.max: 1\n+ tasks.max: 4",
        REVIEW,
    ),
    (
        "topic-renamed",
        "A topic is written or declared under another name.",
        "keep the old topic until the listed readers have moved",
        "- topic: shoe-orders\n+ topic: shoe_orders",
        "+ topic: shoe_orders  # beside shoe-orders",
        REPLACE_TOPIC,
    ),
    (
        "job-stopped",
        "The service of a program is removed from a compose file, or only sleeps.",
        "keep the service until the topics that it writes have no readers",
        "+ command: sleep infinity",
        "+ image: shop:2",
        OUTPUT,
    ),
    (
        "old-data-rejected",
        "A reader with the new schema rejects data written with the old one.",
        "make the new property optional, or give it a default",
        '+ "required": ["total"]',
        '+ "properties": {"note": {"type": "string"}}',
        REPLACE,
    ),
    (
        "new-data-rejected",
        "A reader with the old schema rejects data written with the new one.",
        "let the readers take the new schema first",
        '- "type": "integer"\n+ "type": ["integer", "null"]',
        '+ "properties": {"note": {"type": "string"}}',
        REPLACE,
    ),
    (
        "not-examined",
        "scanner does not claim to understand a changed file.",
        "review the file; without --strict it is only listed",
        "+ lib/models.jar",
        "+ docs/models.md",
        REVIEW,
    ),
    (
        "record-renamed",
        "A record has another full name, by which readers choose their class.",
        "keep the name, or add the old one to `aliases`",
        '- "name": "Order"\n+ "name": "Purchase"',
        '  "name": "Order"',
        REPLACE_TOPIC,
    ),
    (
        "key-changed",
        "The schema of a key changes; records of one key may go to different partitions.",
        "write the new keys to a new topic",
        '- "type": "string"\n+ "type": "long"',
        '  "type": "string"',
        REPLACE_TOPIC,
    ),
    (
        "mentioned",
        "A changed line mentions a topic, and scanner cannot interpret that line.",
        "check by hand whether the topic's records change",
        "+ exec_consumer --queue orders",
        "+ # reads orders",
        REVIEW,
    ),
    (
        "tag-spread",
        "A column receives a tag such as PII through a statement or connector.",
        "leave the column out or mask it if its target must not contain such data",
        "+ SELECT id, email FROM customers",
        "+ SELECT id FROM customers",
        (),
    ),
    (
        "tag-removed",
        "A column loses a tag to which the policy refers; the check applies the policy as if it still had the tag.",
        "restore the tag, or let the owner of the policy confirm the removal in a change of its own",
        '- "confluent:tags": ["PII"]',
        '  "confluent:tags": ["PII"]',
        ("Ask the owner of the policy.", "Remove the tag in a change without other edits."),
    ),
    (
        "settings-changed",
        "The change edits the settings, policy or baseline by which it is checked. The copy of the base commit counts.",
        "move the edit into a change of its own, and let the owners of the file review it",
        "+ .scanner-baseline.json and schemas/orders-value.avsc in one pull request",
        "+ .scanner-baseline.json alone",
        ("Open a pull request with the edit alone.", "Merge it.", "Rebase this pull request."),
    ),
    (
        "policy-forbidden-flow",
        "A column with a tag reaches a system where the policy forbids it.",
        "leave the column out, mask it, or request a waiver",
        "+ SELECT id, email FROM customers",
        "+ SELECT id, SHA256(email) AS email_hash FROM customers",
        ("Leave the column out, or mask it.", "If it has to be there, add a waiver in a change of its own."),
    ),
    (
        "topic-gone",
        "A topic that is in use is no longer created.",
        "keep the topic until the listed jobs have moved",
        "- kafka-topics --create --topic orders",
        "+ kafka-topics --create --topic orders-v2",
        REPLACE_TOPIC,
    ),
    (
        "table-gone",
        "A table that a job uses is no longer declared.",
        "keep the table until the listed jobs have moved",
        "- CREATE TABLE order_facts (…)",
        "+ CREATE TABLE order_facts_v2 (…)",
        OUTPUT,
    ),
    ("schema-added", "The subject is new.", "nothing to do", "+ payments-value.avsc", "  orders-value.avsc", ()),
    (
        "not-read",
        "A file cannot be read, or the columns of a statement or connector are not all known.",
        "correct the file, install the extra that reads it, or review the change by hand",
        "+ topics: {{ topics | join }}",
        "+ topics: orders",
        REVIEW,
    ),
    (
        "unparsed",
        "The file is not a valid schema, statement or configuration.",
        "correct the syntax error at the reported place",
        '+ {"type": "record", "name": "Order", "fields": [}',
        '+ {"type": "record", "name": "Order", "fields": []}',
        (),
    ),
    (
        "nothing-checked",
        "No rule of --map matches a changed file, or there is no file to check.",
        "correct --map or the base commit",
        "--map 'schema/{subject}.avsc'",
        "--map 'schemas/{subject}.avsc'",
        (),
    ),
    (
        "no-readers-known",
        "A column changes, and no scanned source can list who reads the topic.",
        "scan the sources that read the topic, and pass their dictionary with --dictionary",
        "scanner check --git origin/main...HEAD",
        "scanner check --git origin/main...HEAD --dictionary nightly.db",
        SCAN,
    ),
    (
        "file-deleted",
        "The file of a subject or topic is deleted.",
        "run `scanner check`, and migrate the listed readers first",
        "- schemas/orders-value.avsc",
        "  schemas/orders-value.avsc",
        REPLACE_TOPIC,
    ),
    (
        "unknown-name",
        "The dictionary does not contain what the file changes.",
        "correct the name, or allow new ones with --allow-new",
        "scanner check ordres-value.avsc",
        "scanner check orders-value.avsc",
        (),
    ),
    (
        "stale-source",
        "A source could not be read since an earlier scan.",
        "run `scanner doctor`",
        "connect: unavailable",
        "connect: read",
        SCAN,
    ),
    (
        "old-source",
        "A source was read longer ago than --max-age.",
        "scan again",
        "read 3 days ago, --max-age 24h",
        "read 2 hours ago, --max-age 24h",
        SCAN,
    ),
    (
        "future-source",
        "A source was read in the future: a clock is wrong.",
        "correct the clock, and scan again",
        "read at 2031-01-01",
        "read an hour ago",
        SCAN,
    ),
    (
        "no-graph",
        "The dictionary has no graph, so readers are unknown.",
        "run `scanner dataflow`",
        "scanner scan",
        "scanner scan && scanner dataflow",
        SCAN,
    ),
    (
        "old-graph",
        "The graph is older than the newest scan.",
        "run `scanner dataflow`",
        "scanner scan",
        "scanner scan && scanner dataflow",
        SCAN,
    ),
    (
        "unread-jobs",
        "Some statements, views or connectors could not be read completely; they may use what changes.",
        "`scanner validate --rule unread-statement` lists them",
        "a statement with an unsupported function",
        "the same columns described by manual input",
        SCAN,
    ),
)

RULES: Mapping[str, Rule] = {
    name: Rule(name=name, meaning=meaning, help=help_text, example_bad=bad, example_good=good, steps=steps)
    for name, meaning, help_text, bad, good, steps in (*ROWS, *_ROWS)
}
"""Every rule by its name."""
