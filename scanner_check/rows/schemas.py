"""The rules about schemas: what registries and readers reject, and columns that change."""

from __future__ import annotations

from scanner_check.rows.rule import Rule
from scanner_check.rows.steps import FIELD, OPTIONAL, REPLACE, REPLACE_TOPIC, REVIEW, SCAN

INCOMPATIBLE = Rule(
    name="incompatible",
    meaning="The registry rejects the schema at the subject's compatibility level.",
    help="keep the old field and add the new one with a default",
    example_bad=f'- {FIELD}\n+ {{"name": "amount", "type": "double"}}',
    example_good=f"  {FIELD}\n+ {OPTIONAL}",
    steps=REPLACE,
    find="scanner_check.rules.schemas.registry_answer:_incompatible",
    answers_column=True,
)

SCHEMA_INVALID = Rule(
    name="schema-invalid",
    meaning="The text of a schema is invalid in its own format, so no registry and no compiler takes it.",
    help="correct the text at the place of the finding",
    example_bad="- string id = 1;\n+ string id = 1",
    example_good="  string id = 1;",
    steps=("Correct the text at the place of the finding.", "Repeat the check."),
    find="scanner_check.rules.schemas.invalid_schemas:invalid_schema",
)

FORMAT_CHANGED = Rule(
    name="format-changed",
    meaning="The schema has another format than the current version, so no reader of the old format can parse it.",
    help="register the new format under a new subject and topic",
    example_bad="- orders-value.avsc\n+ orders-value.proto",
    example_good="  orders-value.avsc\n+ orders-v2-value.proto",
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.schemas.schema_change:_check",
)

NOT_COMPARED = Rule(
    name="not-compared",
    meaning="A part of the schema is not compared, so its effect is unknown.",
    help="compare that part by hand, or write it without the unsupported construct",
    example_bad='+ "$dynamicRef": "#item"',
    example_good='+ "$ref": "#/$defs/item"',
    steps=REVIEW,
    find="scanner_check.rules.schemas.schema_change:_uncompared",
    is_undecided=True,
)

LEVEL_CHANGED = Rule(
    name="level-changed",
    meaning="The subject's compatibility level changes; a weaker level accepts what the old one rejected.",
    help="keep the level, or agree on the weaker one with the readers of the topic",
    example_bad='- compatibility_level = "FULL"\n+ compatibility_level = "NONE"',
    example_good='- compatibility_level = "BACKWARD"\n+ compatibility_level = "FULL"',
    steps=REVIEW,
    find="scanner_check.rules.schemas.commit_schemas:SchemaComparison._levels",
)

LEVEL_UNKNOWN = Rule(
    name="level-unknown",
    meaning="The answer of the registry depends on the subject's compatibility level, which is not stored.",
    help='scan the registry with `"compatibility": true`, or set --compatibility',
    example_bad="scanner check orders-value.avsc",
    example_good="scanner check orders-value.avsc --compatibility full",
    find="scanner_check.rules.schemas.registry_answer:_beyond_default",
    is_undecided=True,
)

COLUMN_REMOVED = Rule(
    name="column-removed",
    meaning="A column is removed that jobs, tables or consumer groups use or may use.",
    help="deprecate the column, migrate the listed readers, then remove it",
    example_bad=f"- {FIELD}",
    example_good=f'+ {{"name": "total", "type": "double", "doc": "Deprecated: use amount"}}\n+ {OPTIONAL}',
    steps=REPLACE,
    find="scanner_check.edits.columns:changes",
    is_of_column=True,
    needs_reader=True,
)

COLUMN_RENAMED = Rule(
    name="column-renamed",
    meaning="A column is removed, and another one is probably its new name.",
    help="keep the old column beside the new one until the listed readers have moved",
    example_bad=f'- {FIELD}\n+ {{"name": "amount", "type": "double"}}',
    example_good=f'  {FIELD}\n+ {{"name": "amount", "type": "double", "default": 0}}',
    steps=REPLACE,
    find="scanner_check.edits.columns:changes",
    is_of_column=True,
    needs_reader=True,
)

COLUMN_RENUMBERED = Rule(
    name="column-renumbered",
    meaning="A field of a Protobuf message gets another number, so readers miss or misread its value.",
    help="keep the number; reserve numbers that are no longer used",
    example_bad="- double total = 2;\n+ double total = 3;",
    example_good="  double total = 2;\n+ string note = 3;",
    steps=REPLACE,
    find="scanner_check.edits.columns:changes",
    is_of_column=True,
    needs_reader=True,
)

COLUMN_RETYPED = Rule(
    name="column-retyped",
    meaning="The type of a column changes.",
    help="add a column of the new type, and migrate the listed readers",
    example_bad='- {"name": "total", "type": "int"}\n+ {"name": "total", "type": "string"}',
    example_good='  {"name": "total", "type": "int"}\n+ {"name": "total_text", "type": "string", "default": ""}',
    steps=REPLACE,
    find="scanner_check.edits.columns:_changed",
    is_of_column=True,
    needs_reader=True,
)

COLUMN_ADDED = Rule(
    name="column-added",
    meaning="A column is added. It has no readers yet.",
    help="nothing to do",
    example_bad='+ {"name": "note", "type": "string"}',
    example_good=f"+ {OPTIONAL}",
    find="scanner_check.edits.columns:changes",
    is_of_column=True,
    is_harmless=True,
)

MADE_NULLABLE = Rule(
    name="made-nullable",
    meaning="A column may be absent or null from now on, and its readers may not expect that.",
    help="migrate the listed readers to accept null before a writer sends it",
    example_bad='- "type": "string"\n+ "type": ["null", "string"]',
    example_good='  "type": "string"',
    steps=("Change the listed readers so that they accept null.", "Deploy the readers.", "Deploy the writer."),
    find="scanner_check.edits.columns:_changed",
    is_of_column=True,
    needs_reader=True,
)

MADE_REQUIRED = Rule(
    name="made-required",
    meaning="A column may no longer be absent or null, and a writer may still omit it.",
    help="change the writers first, then make the column required",
    example_bad='- "type": ["null", "string"]\n+ "type": "string"',
    example_good='  "type": ["null", "string"]',
    steps=(
        "Change every writer so that it sets the column.",
        "Wait until old records have expired.",
        "Make it required.",
    ),
    find="scanner_check.edits.columns:_changed",
    is_of_column=True,
    needs_reader=True,
)

SYMBOLS_REMOVED = Rule(
    name="symbols-removed",
    meaning="An enum loses symbols that stored records may contain.",
    help="keep the symbol until no stored record contains it",
    example_bad='- "symbols": ["NEW", "PAID"]\n+ "symbols": ["NEW"]',
    example_good='- "symbols": ["NEW", "PAID"]\n+ "symbols": ["NEW", "PAID", "SENT"]',
    steps=REPLACE,
    find="scanner_check.rules.schemas.schema_change:_symbol_changes",
    is_of_column=True,
    needs_reader=True,
)

OLDER_REGISTRY = Rule(
    name="older-registry",
    meaning=(
        "A registry before version 8.4, or of another product, may reject the schema, and this registry is not known."
    ),
    help='scan the registry with `"compatibility": true`, which reads its version',
    example_bad="a Protobuf field that leaves a oneof",
    example_good="a new Protobuf field outside of the oneof",
    find="scanner_check.rules.schemas.registry_answer:_of_older_registries",
    is_harmless=True,
)

COPIES_DIFFER = Rule(
    name="copies-differ",
    meaning="A schema changes, and other files with the same text do not.",
    help="change every copy, or let one module publish the schema",
    example_bad="orders/order.avsc changes; billing/order.avsc stays",
    example_good="both files change",
    steps=("Change the copies that the finding lists.", "Replace the copies by a published artifact."),
    find="scanner_check.rules.schemas.commit_schemas:SchemaComparison._left_copies",
)

OLD_DATA_REJECTED = Rule(
    name="old-data-rejected",
    meaning="A reader with the new schema rejects data written with the old one.",
    help="make the new property optional, or give it a default",
    example_bad='+ "required": ["total"]',
    example_good='+ "properties": {"note": {"type": "string"}}',
    steps=REPLACE,
    find="scanner_check.rules.schemas.registry_answer:_of_readers",
    is_of_readers=True,
    answers_column=True,
)

NEW_DATA_REJECTED = Rule(
    name="new-data-rejected",
    meaning="A reader with the old schema rejects data written with the new one.",
    help="let the readers take the new schema first",
    example_bad='- "type": "integer"\n+ "type": ["integer", "null"]',
    example_good='+ "properties": {"note": {"type": "string"}}',
    steps=REPLACE,
    find="scanner_check.rules.schemas.registry_answer:_of_readers",
    is_of_readers=True,
    answers_column=True,
)

RECORD_RENAMED = Rule(
    name="record-renamed",
    meaning="A record has another full name, by which readers choose their class.",
    help="keep the name, or add the old one to `aliases`",
    example_bad='- "name": "Order"\n+ "name": "Purchase"',
    example_good='  "name": "Order"',
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.schemas.schema_change:_identity",
)

KEY_CHANGED = Rule(
    name="key-changed",
    meaning="The schema of a key changes; records of one key may go to different partitions.",
    help="write the new keys to a new topic",
    example_bad='- "type": "string"\n+ "type": "long"',
    example_good='  "type": "string"',
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.schemas.schema_change:_identity",
)

SCHEMA_ADDED = Rule(
    name="schema-added",
    meaning="The subject is new.",
    help="nothing to do",
    example_bad="+ payments-value.avsc",
    example_good="  orders-value.avsc",
    find="scanner_check.rules.schemas.commit_schemas:SchemaComparison.findings",
    is_harmless=True,
)

NO_READERS_KNOWN = Rule(
    name="no-readers-known",
    meaning="A column changes, and no scanned source can list who reads the topic.",
    help="scan the sources that read the topic, and pass their dictionary with --dictionary",
    example_bad="scanner check --git origin/main...HEAD",
    example_good="scanner check --git origin/main...HEAD --dictionary nightly.db",
    steps=SCAN,
    find="scanner_check.rules.schemas.schema_change:_check",
    is_undecided=True,
)
