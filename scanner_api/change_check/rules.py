"""The rules of `check-change`: what each finding means, how to fix it, and the text of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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


_REPLACE = (
    "Mark the old column as deprecated in its documentation, and leave it in place.",
    "Add the new column, optional or with a default.",
    "Write both columns until every reader has moved.",
    "Migrate the readers that the finding lists; `scanner lineage --impact` shows who is left.",
    "Remove the old column in a change of its own.",
)
_REPLACE_TOPIC = (
    "Create the new topic, and write to both.",
    "Migrate the readers that the finding lists; `scanner clients TOPIC` shows who is left.",
    "Stop writing the old topic, and wait until its retention time has passed.",
    "Run `scanner check --topic`, then delete the old topic.",
)
_OUTPUT = (
    "Keep the old output, and add the new one beside it.",
    "Migrate the readers that the finding lists.",
    "Remove the old output in a change of its own.",
)
_SCAN = (
    "Run `scanner doctor` to see whether each source answers.",
    "Run `scanner scan` and `scanner dataflow` again.",
    "Repeat the check with the new dictionary.",
)
_REVIEW = (
    "Read the changed line with the owners of the topic.",
    "If data do not change, accept the finding; otherwise migrate the readers first.",
)

_FIELD = '{"name": "total", "type": "double"}'
_OPTIONAL = '{"name": "note", "type": ["null", "string"], "default": null}'
_SQL = "INSERT INTO enriched SELECT id, total FROM orders;"

_ROWS: tuple[tuple[str, str, str, str, str, tuple[str, ...]], ...] = (
    (
        "incompatible",
        "The registry rejects the schema at the subject's compatibility level.",
        "keep the old field and add the new one with a default",
        f'- {_FIELD}\n+ {{"name": "amount", "type": "double"}}',
        f"  {_FIELD}\n+ {_OPTIONAL}",
        _REPLACE,
    ),
    (
        "format-changed",
        "The schema has another format than the current version, so no reader of the old format can parse it.",
        "register the new format under a new subject and topic",
        "- orders-value.avsc\n+ orders-value.proto",
        "  orders-value.avsc\n+ orders-v2-value.proto",
        _REPLACE_TOPIC,
    ),
    (
        "not-compared",
        "A part of the schema is not compared, so its effect is unknown.",
        "compare that part by hand, or write it without the unsupported construct",
        '+ "$dynamicRef": "#item"',
        '+ "$ref": "#/$defs/item"',
        _REVIEW,
    ),
    (
        "level-changed",
        "The subject's compatibility level changes; a weaker level accepts what the old one rejected.",
        "keep the level, or agree on the weaker one with the readers of the topic",
        '- compatibility_level = "FULL"\n+ compatibility_level = "NONE"',
        '- compatibility_level = "BACKWARD"\n+ compatibility_level = "FULL"',
        _REVIEW,
    ),
    (
        "level-unknown",
        "The answer of the registry depends on the subject's compatibility level, which is not stored.",
        'scan the registry with `"compatibility": true`, or set --compatibility',
        "scanner check orders-value.avsc",
        "scanner check orders-value.avsc --compatibility full",
        (),
    ),
    (
        "column-removed",
        "A column is removed that jobs, tables or consumer groups use or may use.",
        "deprecate the column, migrate the listed readers, then remove it",
        f"- {_FIELD}",
        f'+ {{"name": "total", "type": "double", "doc": "Deprecated: use amount"}}\n+ {_OPTIONAL}',
        _REPLACE,
    ),
    (
        "column-renamed",
        "A column is removed, and another one is probably its new name.",
        "keep the old column beside the new one until the listed readers have moved",
        f'- {_FIELD}\n+ {{"name": "amount", "type": "double"}}',
        f'  {_FIELD}\n+ {{"name": "amount", "type": "double", "default": 0}}',
        _REPLACE,
    ),
    (
        "column-renumbered",
        "A field of a Protobuf message gets another number, so readers miss or misread its value.",
        "keep the number; reserve numbers that are no longer used",
        "- double total = 2;\n+ double total = 3;",
        "  double total = 2;\n+ string note = 3;",
        _REPLACE,
    ),
    (
        "column-retyped",
        "The type of a column changes.",
        "add a column of the new type, and migrate the listed readers",
        '- {"name": "total", "type": "int"}\n+ {"name": "total", "type": "string"}',
        '  {"name": "total", "type": "int"}\n+ {"name": "total_text", "type": "string", "default": ""}',
        _REPLACE,
    ),
    (
        "column-added",
        "A column is added. It has no readers yet.",
        "nothing to do",
        '+ {"name": "note", "type": "string"}',
        f"+ {_OPTIONAL}",
        (),
    ),
    (
        "made-nullable",
        "A column may be absent or null from now on, and its readers may not expect that.",
        "migrate the listed readers to accept null before a writer sends it",
        '- "type": "string"\n+ "type": ["null", "string"]',
        '  "type": "string"',
        ("Change the listed readers so that they accept null.", "Deploy the readers.", "Deploy the writer."),
    ),
    (
        "made-required",
        "A column may no longer be absent or null, and a writer may still omit it.",
        "change the writers first, then make the column required",
        '- "type": ["null", "string"]\n+ "type": "string"',
        '  "type": ["null", "string"]',
        (
            "Change every writer so that it sets the column.",
            "Wait until old records have expired.",
            "Make it required.",
        ),
    ),
    (
        "symbols-removed",
        "An enum loses symbols that stored records may contain.",
        "keep the symbol until no stored record contains it",
        '- "symbols": ["NEW", "PAID"]\n+ "symbols": ["NEW"]',
        '- "symbols": ["NEW", "PAID"]\n+ "symbols": ["NEW", "PAID", "SENT"]',
        _REPLACE,
    ),
    (
        "older-registry",
        "A registry before version 8.4 rejects the schema, and the version of this one is unknown.",
        'scan the registry with `"compatibility": true`, which reads its version',
        "a Protobuf field that leaves a oneof",
        "a new Protobuf field outside of the oneof",
        (),
    ),
    (
        "column-lost",
        "A statement, connector or program no longer writes a column that others use.",
        "keep writing the column until the listed readers have moved",
        f"- {_SQL}\n+ {_SQL.replace(', total', '')}",
        f"- {_SQL}\n+ {_SQL.replace('total', 'total, note')}",
        _OUTPUT,
    ),
    (
        "column-gained",
        "A job writes an additional column.",
        "nothing to do",
        "+ SELECT id, total, email FROM orders",
        "+ SELECT id, total FROM orders",
        (),
    ),
    (
        "flow-changed",
        "A column is computed from other columns, or by another expression.",
        "write the new values to a new column, and migrate the listed readers",
        "- SELECT total FROM orders\n+ SELECT total * 100 AS total FROM orders",
        "- SELECT total FROM orders\n+ SELECT total, total * 100 AS total_cents FROM orders",
        _OUTPUT,
    ),
    (
        "output-lost",
        "A job no longer writes a topic or table that others use.",
        "keep writing it until the listed readers have moved",
        "- INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
        "  INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
        _OUTPUT,
    ),
    (
        "output-gained",
        "A job writes an additional topic or table.",
        "nothing to do",
        "+ INSERT INTO enriched_v2 SELECT …",
        "  INSERT INTO enriched SELECT …",
        (),
    ),
    (
        "input-lost",
        "A job no longer reads a topic or table.",
        "nothing to do; `scanner check` tells whether the topic is still used",
        "- FROM orders JOIN customers",
        "  FROM orders JOIN customers",
        (),
    ),
    (
        "input-gained",
        "A job reads an additional topic or table.",
        "nothing to do",
        "+ FROM orders JOIN customers",
        "  FROM orders",
        (),
    ),
    (
        "input-without-writer",
        "A job reads a topic that nothing in the repository writes or declares.",
        "correct the name, or declare the topic",
        "- topics: orders\n+ topics: ordres",
        "- topics: orders\n+ topics: orders,payments",
        ("Compare the name with the writer's.", "If another repository writes the topic, accept the finding."),
    ),
    (
        "writer-lost",
        "A job no longer writes a topic that other jobs still write, so a part of the records is missing.",
        "keep the writer until the listed readers can do without its records",
        '- producer.send("orders", order)',
        '  producer.send("orders", order)',
        _OUTPUT,
    ),
    (
        "copies-differ",
        "A schema changes, and other files with the same text do not.",
        "change every copy, or let one module publish the schema",
        "orders/order.avsc changes; billing/order.avsc stays",
        "both files change",
        ("Change the copies that the finding lists.", "Replace the copies by a published artifact."),
    ),
    (
        "code-changed",
        "Code that reaches records changes, and its effect on them is not determined.",
        "review the changed lines with the readers of the topic",
        '- record.put("total", total)\n+ record.put("total", total.negate())',
        '- log.info("sent")\n+ log.debug("sent")',
        _REVIEW,
    ),
    (
        "not-judged",
        "A relevant setting, library, statement or command changes, and its effect is not determined.",
        "check by hand whether records change",
        "+ transforms: mask",
        "- tasks.max: 1\n+ tasks.max: 4",
        _REVIEW,
    ),
    (
        "topic-renamed",
        "A topic is written or declared under another name.",
        "keep the old name until its readers have moved, or rename it for all of them in one deployment",
        "- topic: orders\n+ topic: shop.orders",
        "  topic: orders",
        _REPLACE_TOPIC,
    ),
    (
        "job-stopped",
        "The service of a program is removed, or only sleeps.",
        "remove or move the readers of its topics first",
        "- orders-enricher:\n-   image: acme/enricher",
        "  orders-enricher:\n    image: acme/enricher",
        _OUTPUT,
    ),
    (
        "old-data-rejected",
        "A reader with the new schema rejects data written with the old one.",
        "give the new field a default, or keep the old type",
        '+ {"name": "note", "type": "string"}',
        f"+ {_OPTIONAL}",
        _REPLACE,
    ),
    (
        "new-data-rejected",
        "A reader with the old schema rejects data written with the new one.",
        "deprecate the field, migrate the listed readers, then remove it",
        f"- {_FIELD}",
        f"  {_FIELD}",
        _REPLACE,
    ),
    (
        "not-examined",
        "scanner does not claim to understand a changed file.",
        "review the file; without --strict it is only listed",
        "+ lib/models.jar",
        "+ docs/models.md",
        _REVIEW,
    ),
    (
        "old-data-rejected",
        "A reader with the new schema rejects data written with the old one.",
        "make the new property optional, or give it a default",
        '+ "required": ["total"]',
        '+ "properties": {"note": {"type": "string"}}',
        _REPLACE,
    ),
    (
        "new-data-rejected",
        "A reader with the old schema rejects data written with the new one.",
        "let the readers take the new schema first",
        '- "type": "integer"\n+ "type": ["integer", "null"]',
        '+ "properties": {"note": {"type": "string"}}',
        _REPLACE,
    ),
    (
        "record-renamed",
        "A record has another full name, by which readers choose their class.",
        "keep the name, or add the old one to `aliases`",
        '- "name": "Order"\n+ "name": "Purchase"',
        '  "name": "Order"',
        _REPLACE_TOPIC,
    ),
    (
        "key-changed",
        "The schema of a key changes; records of one key may go to different partitions.",
        "write the new keys to a new topic",
        '- "type": "string"\n+ "type": "long"',
        '  "type": "string"',
        _REPLACE_TOPIC,
    ),
    (
        "mentioned",
        "A changed line mentions a topic, and scanner cannot interpret that line.",
        "check by hand whether the topic's records change",
        "+ exec_consumer --queue orders",
        "+ # reads orders",
        _REVIEW,
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
        "topic-renamed",
        "A topic is written or declared under another name.",
        "keep the old topic until the listed readers have moved",
        "- topic: shoe-orders\n+ topic: shoe_orders",
        "+ topic: shoe_orders  # beside shoe-orders",
        _REPLACE_TOPIC,
    ),
    (
        "job-stopped",
        "The service of a program is removed from a compose file, or only sleeps.",
        "keep the service until the topics that it writes have no readers",
        "+ command: sleep infinity",
        "+ image: shop:2",
        _OUTPUT,
    ),
    (
        "topic-gone",
        "A topic that is in use is no longer created.",
        "keep the topic until the listed jobs have moved",
        "- kafka-topics --create --topic orders",
        "+ kafka-topics --create --topic orders-v2",
        _REPLACE_TOPIC,
    ),
    (
        "table-gone",
        "A table that a job uses is no longer declared.",
        "keep the table until the listed jobs have moved",
        "- CREATE TABLE order_facts (…)",
        "+ CREATE TABLE order_facts_v2 (…)",
        _OUTPUT,
    ),
    ("schema-added", "The subject is new.", "nothing to do", "+ payments-value.avsc", "  orders-value.avsc", ()),
    (
        "not-read",
        "A file cannot be read, or the columns of a statement or connector are not all known.",
        "correct the file, or bring it into a form that scanner reads",
        "+ topics: {{ topics | join }}",
        "+ topics: orders",
        _REVIEW,
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
        _SCAN,
    ),
    (
        "file-deleted",
        "The file of a subject or topic is deleted.",
        "run `scanner check`, and migrate the listed readers first",
        "- schemas/orders-value.avsc",
        "  schemas/orders-value.avsc",
        _REPLACE_TOPIC,
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
        _SCAN,
    ),
    (
        "old-source",
        "A source was read longer ago than --max-age.",
        "scan again",
        "read 3 days ago, --max-age 24h",
        "read 2 hours ago, --max-age 24h",
        _SCAN,
    ),
    (
        "future-source",
        "A source was read in the future: a clock is wrong.",
        "correct the clock, and scan again",
        "read at 2031-01-01",
        "read an hour ago",
        _SCAN,
    ),
    (
        "no-graph",
        "The dictionary has no graph, so readers are unknown.",
        "run `scanner dataflow`",
        "scanner scan",
        "scanner scan && scanner dataflow",
        _SCAN,
    ),
    (
        "old-graph",
        "The graph is older than the newest scan.",
        "run `scanner dataflow`",
        "scanner scan",
        "scanner scan && scanner dataflow",
        _SCAN,
    ),
    (
        "unread-jobs",
        "Some statements, views or connectors could not be read completely; they may use what changes.",
        "`scanner validate --rule unread-statement` lists them",
        "a statement with an unsupported function",
        "the same columns described by manual input",
        _SCAN,
    ),
)

RULES: Mapping[str, Rule] = {
    name: Rule(name=name, meaning=meaning, help=help_text, example_bad=bad, example_good=good, steps=steps)
    for name, meaning, help_text, bad, good, steps in _ROWS
}
"""Every rule by its name."""
