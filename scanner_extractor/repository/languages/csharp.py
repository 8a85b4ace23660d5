"""C#."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages.language import Access, Form, Language, Nodes, Rule, Values, field_uses
from scanner_extractor.repository.syntax_trees import Grammar, words

_R, _W, _C = Access.READ, Access.WRITE, Access.CREATE

LANGUAGE = Language(
    name="C#",
    proof=field_uses("programs in C#", "15 field uses of a public repository"),
    grammars={".cs": Grammar("tree_sitter_c_sharp")},
    nodes=Nodes(
        expressions={
            Form.STRING: words(
                """interpolated_string_expression raw_string_literal string_literal verbatim_string_literal"""
            ),
            Form.NAME: words("identifier"),
            Form.MEMBER: words("attribute member_access_expression"),
            Form.CALL: words("invocation_expression"),
            Form.NEW: words("implicit_object_creation_expression object_creation_expression"),
            Form.ITEMS: words("collection_expression initializer_expression"),
            Form.ARRAY: words("array_creation_expression implicit_array_creation_expression"),
            Form.INDEX: words("element_access_expression"),
            Form.BINARY: words("binary_expression"),
            Form.CHOICE: words("conditional_expression"),
            Form.INNER: words(
                """arrow_expression_clause as_expression await_expression cast_expression parenthesized_expression
                postfix_unary_expression unary_expression"""
            ),
            Form.BLOCK: words("block"),
            Form.ARGUMENT: words("argument"),
            Form.PAIR: words("assignment_expression"),
        },
        classes=words(
            """class_declaration enum_declaration interface_declaration record_declaration struct_declaration"""
        ),
        functions=words("constructor_declaration local_function_statement method_declaration"),
        lambdas=words("anonymous_method_expression lambda_expression"),
        loops=words("do_statement for_statement foreach_statement while_statement"),
        calls=words("implicit_object_creation_expression invocation_expression object_creation_expression"),
        super_calls=words("constructor_initializer"),
        returns=words("arrow_expression_clause return_statement"),
        parameters=words("parameter"),
        parameter_lists=words("parameter_list"),
        argument_lists=words("argument_list initializer_expression"),
        interpolations=words("interpolation"),
        supertypes=words("argument_list base_list"),
        skipped=words("comment using_directive"),
        variables=words("property_declaration variable_declarator"),
        assignments=words("assignment_expression"),
        containers=words(
            """block compilation_unit declaration_list expression_statement file_scoped_namespace_declaration
            namespace_declaration ERROR"""
        ),
        fields=words("field_declaration property_declaration"),
        plain=words("field_declaration property_declaration variable_declaration"),
        comments=words("comment"),
        imports=words("using_directive"),
        strings=words(
            """character_literal interpolated_string_expression raw_string_literal string_literal
            verbatim_string_literal"""
        ),
        statements=words("expression_statement invocation_expression"),
        throws=words("throw_expression throw_statement"),
    ),
    values=Values(
        environment=words("GetEnvironmentVariable"),
        properties=words("GetValue GetString GetSection GetRequiredSection"),
        sections=words("GetSection GetRequiredSection []"),
        lists=words("List HashSet"),
        same=words("ToString Trim Value value name topic Topic"),
        defaults=words("GetValueOrDefault"),
        formats=words("Format"),
        placeholder=re.compile(r"\{\d+\}"),
        parts=words("Split"),
        lower=words("ToLower ToLowerInvariant"),
        topics=words("TopicPartition Topic TopicSpecification"),
    ),
    calls={
        "Produce": (Rule(_W, names=("topic",)),),
        "ProduceAsync": (Rule(_W, names=("topic",)),),
        "AddProducer": (Rule(_W, needs="(?i)masstransit|kafka"),),
        "DefaultTopic": (Rule(_W, needs="KafkaFlow"),),
        "Subscribe": (Rule(_R),),
        "Assign": (Rule(_R),),
        "TopicEndpoint": (Rule(_R, needs="(?i)masstransit"),),
        "RegisterMessageHandler": (Rule(_R, at=-2, names=("topic",), needs="Dafda"),),
        "Register": (Rule(_W, at=-3, names=("topic",), needs="Dafda"),),
        "ListenToKafkaTopic": (Rule(_R),),
        "ToKafkaTopic": (Rule(_W),),
        "Stream": (Rule(_R, needs="Streamiz", streams=True),),
        "Table": (Rule(_R, needs="Streamiz", streams=True),),
        "GlobalTable": (Rule(_R, needs="Streamiz", streams=True),),
        "To": (Rule(_W, needs="Streamiz", streams=True),),
        "Topic": (Rule(_R, needs="KafkaFlow", on="(?i)consumer"),),
        "TopicSpecification": (Rule(_C, names=("Topic", "Name")),),
    },
    client_words=words("kafka redpanda masstransit dafda"),
    client_import=re.compile(
        r"(?m)^[^\S\n]*using\s+(?:Confluent\.Kafka|Dafda\.\w+|KafkaFlow|Streamiz\.Kafka\.Net|Wolverine\.Kafka)\s*;"
    ),
    entry=re.compile(r"static\s+(?:async\s+)?[\w<>]+\s+Main\s*\(|WebApplication\.CreateBuilder|Host\.Create"),
    build_files={".csproj": None},
)
