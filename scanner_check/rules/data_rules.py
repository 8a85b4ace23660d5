"""The rules of `check-change` about data: what a change does to schemas, columns, and what jobs read and write."""

from __future__ import annotations

Row = tuple[str, str, str, str, str, tuple[str, ...]]
"""The members of a rule, in their order."""

REPLACE = (
    "Mark the old column as deprecated in its documentation, and leave it in place.",
    "Add the new column, optional or with a default.",
    "Write both columns until every reader has moved.",
    "Migrate the readers that the finding lists; `scanner lineage --impact` shows who is left.",
    "Remove the old column in a change of its own.",
)
REPLACE_TOPIC = (
    "Create the new topic, and write to both.",
    "Migrate the readers that the finding lists; `scanner clients TOPIC` shows who is left.",
    "Stop writing the old topic, and wait until its retention time has passed.",
    "Run `scanner check --topic`, then delete the old topic.",
)
OUTPUT = (
    "Keep the old output, and add the new one beside it.",
    "Migrate the readers that the finding lists.",
    "Remove the old output in a change of its own.",
)
SCAN = (
    "Run `scanner doctor` to see whether each source answers.",
    "Run `scanner scan` and `scanner dataflow` again.",
    "Repeat the check with the new dictionary.",
)
REVIEW = (
    "Read the changed line with the owners of the topic.",
    "If data do not change, accept the finding; otherwise migrate the readers first.",
)

FIELD = '{"name": "total", "type": "double"}'
OPTIONAL = '{"name": "note", "type": ["null", "string"], "default": null}'
SQL = "INSERT INTO enriched SELECT id, total FROM orders;"

ROWS: tuple[Row, ...] = (
    (
        "incompatible",
        "The registry rejects the schema at the subject's compatibility level.",
        "keep the old field and add the new one with a default",
        f'- {FIELD}\n+ {{"name": "amount", "type": "double"}}',
        f"  {FIELD}\n+ {OPTIONAL}",
        REPLACE,
    ),
    (
        "schema-invalid",
        "The text of a schema is invalid in its own format, so no registry and no compiler takes it.",
        "correct the text at the place of the finding",
        "- string id = 1;\n+ string id = 1",
        "  string id = 1;",
        ("Correct the text at the place of the finding.", "Repeat the check."),
    ),
    (
        "format-changed",
        "The schema has another format than the current version, so no reader of the old format can parse it.",
        "register the new format under a new subject and topic",
        "- orders-value.avsc\n+ orders-value.proto",
        "  orders-value.avsc\n+ orders-v2-value.proto",
        REPLACE_TOPIC,
    ),
    (
        "not-compared",
        "A part of the schema is not compared, so its effect is unknown.",
        "compare that part by hand, or write it without the unsupported construct",
        '+ "$dynamicRef": "#item"',
        '+ "$ref": "#/$defs/item"',
        REVIEW,
    ),
    (
        "level-changed",
        "The subject's compatibility level changes; a weaker level accepts what the old one rejected.",
        "keep the level, or agree on the weaker one with the readers of the topic",
        '- compatibility_level = "FULL"\n+ compatibility_level = "NONE"',
        '- compatibility_level = "BACKWARD"\n+ compatibility_level = "FULL"',
        REVIEW,
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
        f"- {FIELD}",
        f'+ {{"name": "total", "type": "double", "doc": "Deprecated: use amount"}}\n+ {OPTIONAL}',
        REPLACE,
    ),
    (
        "column-renamed",
        "A column is removed, and another one is probably its new name.",
        "keep the old column beside the new one until the listed readers have moved",
        f'- {FIELD}\n+ {{"name": "amount", "type": "double"}}',
        f'  {FIELD}\n+ {{"name": "amount", "type": "double", "default": 0}}',
        REPLACE,
    ),
    (
        "column-renumbered",
        "A field of a Protobuf message gets another number, so readers miss or misread its value.",
        "keep the number; reserve numbers that are no longer used",
        "- double total = 2;\n+ double total = 3;",
        "  double total = 2;\n+ string note = 3;",
        REPLACE,
    ),
    (
        "column-retyped",
        "The type of a column changes.",
        "add a column of the new type, and migrate the listed readers",
        '- {"name": "total", "type": "int"}\n+ {"name": "total", "type": "string"}',
        '  {"name": "total", "type": "int"}\n+ {"name": "total_text", "type": "string", "default": ""}',
        REPLACE,
    ),
    (
        "column-added",
        "A column is added. It has no readers yet.",
        "nothing to do",
        '+ {"name": "note", "type": "string"}',
        f"+ {OPTIONAL}",
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
        REPLACE,
    ),
    (
        "older-registry",
        "A registry before version 8.4, or of another product, may reject the schema, and this registry is not known.",
        'scan the registry with `"compatibility": true`, which reads its version',
        "a Protobuf field that leaves a oneof",
        "a new Protobuf field outside of the oneof",
        (),
    ),
    (
        "column-lost",
        "A statement, connector or program no longer writes a column that others use.",
        "keep writing the column until the listed readers have moved",
        f"- {SQL}\n+ {SQL.replace(', total', '')}",
        f"- {SQL}\n+ {SQL.replace('total', 'total, note')}",
        OUTPUT,
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
        OUTPUT,
    ),
    (
        "output-lost",
        "A job no longer writes a topic or table that others use.",
        "keep writing it until the listed readers have moved",
        "- INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
        "  INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
        OUTPUT,
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
        OUTPUT,
    ),
)
