"""JavaScript and TypeScript."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages.language import (
    Access,
    Form,
    Language,
    Nodes,
    Note,
    Rule,
    Values,
    field_uses,
)
from scanner_extractor.repository.syntax_trees import Grammar, words

_R, _W, _C = Access.READ, Access.WRITE, Access.CREATE
_CLIENTS = r"kafkajs|kafka-node|node-rdkafka|[Kk]afka"
_NEST_KAFKA = r"Transport\.KAFKA|ClientKafka|Kafka(?:Context|Options)"
"""NestJS has the same annotations and clients for each kind of broker; a file of the program chooses Kafka."""
_SCRIPT = Grammar("tree_sitter_javascript")

LANGUAGE = Language(
    name="JavaScript",
    proof=field_uses("programs in TypeScript", "14 field uses of a public repository"),
    grammars={
        **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), _SCRIPT),
        ".ts": Grammar("tree_sitter_typescript", function="language_typescript"),
        ".tsx": Grammar("tree_sitter_typescript", function="language_tsx"),
    },
    nodes=Nodes(
        expressions={
            Form.STRING: words("string template_string"),
            Form.NAME: words(
                """identifier property_identifier shorthand_property_identifier_pattern this type_identifier"""
            ),
            Form.MEMBER: words("member_expression"),
            Form.CALL: words("call_expression"),
            Form.NEW: words("new_expression"),
            Form.ITEMS: words("array object"),
            Form.INDEX: words("subscript_expression"),
            Form.BINARY: words("binary_expression"),
            Form.CHOICE: words("ternary_expression"),
            Form.INNER: words(
                """as_expression await_expression non_null_expression parenthesized_expression satisfies_expression
                unary_expression"""
            ),
            Form.PAIR: words("assignment_expression pair"),
            Form.SHORTHAND: words("shorthand_property_identifier"),
        },
        classes=words("""abstract_class_declaration class class_declaration enum_declaration interface_declaration"""),
        functions=words("""function_declaration function_signature generator_function_declaration method_definition"""),
        lambdas=words("arrow_function function_expression"),
        named_lambdas=words("arrow_function function_expression"),
        loops=words("do_statement for_in_statement for_statement while_statement"),
        calls=words("call_expression new_expression"),
        returns=words("return_statement"),
        parameters=words("assignment_pattern optional_parameter required_parameter"),
        parameter_lists=words("formal_parameters"),
        argument_lists=words("arguments"),
        interpolations=words("template_substitution"),
        modifiers=words("decorator"),
        supertypes=words("class_heritage extends_clause extends_type_clause"),
        skipped=words("comment import_statement type_arguments type_parameters"),
        variables=words("field_definition public_field_definition variable_declarator"),
        assignments=words("assignment_expression"),
        constants=words("enum_assignment"),
        containers=words(
            """ambient_declaration class_body enum_body export_statement expression_statement interface_body
            internal_module module program ERROR"""
        ),
        fields=words("enum_assignment field_definition property_signature public_field_definition"),
        plain=words("lexical_declaration variable_declaration"),
        comments=words("comment"),
        imports=words("import import_statement"),
        strings=words("string template_string"),
        statements=words("call_expression expression_statement"),
        throws=words("throw_statement"),
    ),
    values=Values(
        environment=words("requireEnv getEnv"),
        environment_objects=words("process.env meta.env"),
        properties=words("get getOrThrow getString require config getConfig getConfigValue getValue getOrDefault"),
        sections=words("getConfig [] get"),
        lists=words("of Array Set"),
        same=words("trim toString String valueOf get value getValue name topic resolve"),
        keys=words("keys"),
        appends=words("push"),
        lower=words("toLowerCase"),
        topics=words("Topic KafkaTopic"),
        elements=words("forEach map flatMap each"),
        constructors=words("constructor"),
    ),
    calls={
        "send": (
            Rule(_W, names=("topic",), needs=r"kafka|Kafka", on=r"(?i)template|producer|kafka|client|operations"),
        ),
        "sendBatch": (Rule(_W, names=("topicMessages",), needs=_CLIENTS),),
        "produce": (Rule(_W, names=("topic",), needs=r"(?i)kafka|rdkafka|confluent|producer"),),
        "emit": (Rule(_W, needs=r"@nestjs/microservices|ClientKafka", near=_NEST_KAFKA, on=r"(?i)client|kafka"),),
        "createWriteStream": (Rule(_W, names=("topic",), needs="rdkafka"),),
        "subscribe": (Rule(_R, names=("topics", "topic")),),
        "assign": (Rule(_R),),
        "ManagedKafkaEventSource": (Rule(_R, names=("topic",), needs="lambda-event-sources|aws-cdk"),),
        "SelfManagedKafkaEventSource": (Rule(_R, names=("topic",), needs="lambda-event-sources|aws-cdk"),),
        "createReadStream": (Rule(_R, names=("topics",), needs="rdkafka"),),
        "Consumer": (Rule(_R, at=1, needs="kafka-node"),),
        "ConsumerGroup": (Rule(_R, at=1, needs="kafka-node"),),
        "ConsumerGroupStream": (Rule(_R, at=1, needs="kafka-node"),),
        "createTopics": (Rule(_C, names=("topics",), needs=_CLIENTS),),
    },
    notes={
        "MessagePattern": Note(_R, near=_NEST_KAFKA),
        "EventPattern": Note(_R, near=_NEST_KAFKA),
    },
    client_words=words("kafka redpanda @nestjs/microservices"),
    client_import=re.compile(
        r"""(?:\bfrom\s*|\brequire\(\s*)["'](?:kafkajs|node-rdkafka|kafka-node|@confluentinc/kafka-javascript)["']"""
    ),
    build_files={
        "package.json": re.compile(r'"name"\s*:\s*"(?:@[^"/]*/)?(?P<name>[^"]+)"'),
        "tsconfig.app.json": None,  # of one application of a repository, as NestJS and Nx lay it out
    },
)
