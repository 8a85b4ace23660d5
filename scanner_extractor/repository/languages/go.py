"""Go."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages.language import Access, Form, Language, Nodes, Rule, Values, field_uses
from scanner_extractor.repository.syntax_trees import Grammar, words

_R, _W, _C = Access.READ, Access.WRITE, Access.CREATE
_CLIENTS = r"sarama|kafka-go|confluent|kgo|franz|kafka"

LANGUAGE = Language(
    name="Go",
    proof=field_uses("programs in Go", "7 field uses of a public repository"),
    grammars={".go": Grammar("tree_sitter_go")},
    nodes=Nodes(
        expressions={
            Form.STRING: words("interpreted_string_literal raw_string_literal"),
            Form.NAME: words("field_identifier identifier package_identifier type_identifier"),
            Form.MEMBER: words("qualified_type selector_expression"),
            Form.CALL: words("call_expression"),
            Form.NEW: words("composite_literal"),
            Form.ITEMS: words("literal_value"),
            Form.INDEX: words("index_expression"),
            Form.BINARY: words("binary_expression"),
            Form.INNER: words(
                """expression_list literal_element parenthesized_expression type_conversion_expression
                unary_expression"""
            ),
            Form.BLOCK: words("block"),
            Form.PAIR: words("keyed_element"),
        },
        types=words("type_spec"),
        functions=words("function_declaration method_declaration"),
        lambdas=words("func_literal"),
        named_lambdas=words("func_literal"),
        tagged=words("field_declaration"),
        loops=words("for_statement"),
        calls=words("call_expression composite_literal"),
        returns=words("return_statement"),
        parameters=words("parameter_declaration"),
        parameter_lists=words("parameter_list"),
        argument_lists=words("argument_list literal_value"),
        supertypes=words("argument_list"),
        skipped=words("comment import_declaration type_arguments"),
        assignments=words("assignment_statement short_var_declaration"),
        specifications=words("const_spec var_spec"),
        containers=words(
            """block const_declaration expression_statement field_declaration_list package_clause source_file
            struct_type type_declaration var_declaration ERROR"""
        ),
        fields=words("field_declaration"),
        plain=words("const_spec field_declaration var_spec"),
        comments=words("comment"),
        imports=words("import_declaration import_spec"),
        packages=words("package_clause"),
        strings=words("interpreted_string_literal raw_string_literal"),
        statements=words("call_expression expression_statement"),
    ),
    values=Values(
        environment=words("Getenv LookupEnv mustGetenv requireEnv getenv"),
        properties=words("GetString GetValue get getString getValue"),
        default_setters=words("SetDefault"),
        sections=words("Sub sub [] get"),
        lists=words("StringSlice append"),
        same=words("String Ptr Pointer StringPtr Trim Value value name topic string Topic"),
        formats=words("Sprintf"),
        placeholder=re.compile(r"%[sdvq]"),
        topics=words("TopicPartition Topic"),
        flags=words("String StringVar StringP StringVarP"),
        flag_owners=words("flag pflag flags"),
        tag_variable=re.compile(r'\b(?:envconfig|env):"([A-Za-z]\w*)|\bconf:"[^"]*\benv:(\w+)'),
        tag_default=re.compile(
            r'\b(?:default|envDefault|env-default):"([^"]*)"|\benv:"\w+,\s*default=([^",]+)|\bconf:"[^"]*\bdefault:([^",]+)'
        ),
    ),
    calls={
        "Produce": (Rule(_W, names=("topic",)),),
        "ProducerMessage": (Rule(_W, names=("Topic",), needs="sarama"),),
        "Message": (Rule(_W, names=("Topic",), needs="kafka-go", made=True),),
        "TopicPartition": (Rule(_W, names=("Topic",), needs="confluent-kafka-go", made=True),),
        "Record": (Rule(_W, names=("Topic",), needs="franz-go", made=True),),
        "StringRecord": (Rule(_W, needs="franz-go"),),
        "Writer": (Rule(_W, names=("Topic",), needs="kafka-go"),),
        "WriterConfig": (Rule(_W, names=("Topic",), needs="kafka-go"),),
        "DefaultProduceTopic": (Rule(_W, needs="franz-go"),),
        "NewEmitter": (Rule(_W, at=1, needs="goka"),),
        "Output": (Rule(_W, needs="goka", streams=True),),
        "Subscribe": (Rule(_R),),
        "SubscribeTopics": (Rule(_R, needs=_CLIENTS),),
        "Assign": (Rule(_R),),
        "ReaderConfig": (
            Rule(_R, names=("Topic",), needs="kafka-go"),
            Rule(_R, names=("GroupTopics",), needs="kafka-go"),
        ),
        "ConsumeTopics": (Rule(_R, needs="franz-go", several=True),),
        "ConsumePartition": (Rule(_R, needs=_CLIENTS),),
        "Consume": (Rule(_R, at=1, needs="sarama"),),
        "Input": (Rule(_R, needs="goka", streams=True),),
        "TopicSpecification": (Rule(_C, names=("Topic", "Name")),),
        "TopicConfig": (Rule(_C, names=("Topic",), needs="kafka-go"),),
        "CreateTopic": (Rule(_C, needs=_CLIENTS),),
    },
    client_words=words("kafka redpanda sarama kgo. goka"),
    client_import=re.compile(
        r'(?m)^[^\S\n]*(?:import\s+)?(?:\w+\s+)?"[\w.-]+\.[\w]+/[^"\s]*(?:kafka|sarama|franz-go/pkg/kgo)[^"\s]*'
        r'(?<!/avro)(?<!/mocks)(?<!test)"'
    ),
    entry=re.compile(r"^package\s+main\b", re.MULTILINE),
    build_files={"go.mod": re.compile(r"^module\s+(?:\S*/)?(?P<name>[\w.-]+?)(?:/v\d+)?\s*$", re.MULTILINE)},
    has_packages=True,
)
