"""Python."""

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
_FASTSTREAM = r"(?i)faststream|propan"

LANGUAGE = Language(
    name="Python",
    proof=field_uses("programs in Python", "102 field uses of 2 public repositories"),
    grammars={".py": Grammar("tree_sitter_python")},
    nodes=Nodes(
        expressions={
            Form.STRING: words("string"),
            Form.JOINED: words("concatenated_string"),
            Form.NAME: words("identifier"),
            Form.MEMBER: words("attribute"),
            Form.CALL: words("call"),
            Form.ITEMS: words("dictionary list set tuple"),
            Form.INDEX: words("subscript"),
            Form.BINARY: words("binary_operator boolean_operator"),
            Form.CHOICE: words("conditional_expression"),
            Form.INNER: words("await expression_list parenthesized_expression"),
            Form.BLOCK: words("block"),
            Form.PAIR: words("keyword_argument pair"),
        },
        classes=words("class_definition"),
        functions=words("function_definition"),
        lambdas=words("lambda"),
        loops=words("for_statement while_statement"),
        calls=words("call"),
        returns=words("return_statement"),
        parameters=words("default_parameter typed_default_parameter typed_parameter"),
        parameter_lists=words("lambda_parameters parameters"),
        argument_lists=words("argument_list"),
        interpolations=words("interpolation"),
        modifiers=words("decorator"),
        supertypes=words("argument_list"),
        skipped=words("comment import_from_statement import_statement"),
        assignments=words("assignment"),
        containers=words("block decorated_definition expression_statement module ERROR"),
        plain=words("assignment"),
        comments=words("comment"),
        imports=words("future_import_statement import_from_statement import_statement"),
        strings=words("string"),
        statements=words("call expression_statement"),
        throws=words("raise_statement"),
    ),
    values=Values(
        environment=words("getenv"),
        environment_objects=words("os.environ environ"),
        properties=words("get get_string get_value config require getString getValue get_config"),
        same=words("strip str encode decode get value get_value name topic cast config"),
        lists=words("list tuple sorted set"),
        keys=words("keys items"),
        appends=words("append add"),
        lower=words("lower"),
        topics=words("NewTopic TopicPartition Topic KafkaTopic"),
        elements=words("map"),
        options=words("add_argument"),
        option_notes=words("option argument"),
        settings_classes=words("BaseSettings Settings"),
        constructors=words("__init__"),
    ),
    calls={
        "send": (
            Rule(_W, names=("topic",), needs=r"aiokafka|kafka|Kafka", on=r"(?i)producer|kafka|client"),
            Rule(_W, names=("topic",), needs="faust", on=r"^app$"),
        ),
        "send_and_wait": (Rule(_W, names=("topic",)),),
        "produce": (Rule(_W, names=("topic",), needs=r"(?i)kafka|confluent|producer"),),
        "ProducerRecord": (Rule(_W, names=("topic",)),),
        **dict.fromkeys(
            words("open_input_topic get_topic_consumer get_raw_topic_consumer"),
            (Rule(_R, names=("topic_id_or_name", "topic"), needs="quixstream"),),
        ),
        **dict.fromkeys(
            words("open_output_topic get_topic_producer get_raw_topic_producer"),
            (Rule(_W, names=("topic_id_or_name", "topic"), needs="quixstream"),),
        ),
        "to_topic": (Rule(_W, needs="quixstreams", streams=True),),
        "subscribe": (Rule(_R, names=("topics", "topic")),),
        "assign": (Rule(_R),),
        "KafkaConsumer": (Rule(_R, names=("topics",), needs=r"[Kk]afka", several=True),),
        "AIOKafkaConsumer": (Rule(_R, several=True),),
        "add_sink": (Rule(_W, needs="faust"),),
        "stream": (Rule(_R, needs="faust", on="^app$", streams=True),),
        "dataframe": (Rule(_R, names=("topic",), needs="quixstreams", streams=True),),
        "set_topics": (Rule(_R, needs="flink", several=True, streams=True),),
        "set_topic": (Rule(_W, needs="flink", streams=True),),
        "FlinkKafkaConsumer": (Rule(_R, streams=True),),
        "FlinkKafkaProducer": (Rule(_W, streams=True),),
        "ReadFromKafka": (Rule(_R, names=("topics",), at=1, needs="beam", streams=True),),
        "WriteToKafka": (Rule(_W, names=("topic",), at=1, needs="beam", streams=True),),
        "KafkaSource": (Rule(_R, names=("topics",), at=1, needs="bytewax", streams=True),),
        "KafkaSink": (Rule(_W, names=("topic",), at=1, needs="bytewax", streams=True),),
        "NewTopic": (Rule(_C, names=("topic", "name")),),
    },
    notes={
        "agent": Note(_R, ("channel",), needs=r"faust|@app\.agent\(", sinks=("sink",)),
        "subscriber": Note(_R, needs=_FASTSTREAM),
        "publisher": Note(_W, needs=_FASTSTREAM),
    },
    client_words=words(
        "pyspark kafka redpanda faust quixstreams quixstreaming faststream @app.agent( execute_sql( execute_statement("
    ),
    client_import=re.compile(
        r"(?m)^[^\S\n]*(?:import\s+(?:kafka|confluent_kafka|aiokafka)\b"
        r"|from\s+(?:kafka|confluent_kafka|aiokafka)\s+import\s[^#\n]*(?:Consumer|Producer|\())"
    ),
    build_files={
        "pyproject.toml": re.compile(
            r"^\[(?:project|tool\.poetry)\][^\[]*?^name\s*=\s*['\"](?P<name>[^'\"]+)", re.MULTILINE | re.DOTALL
        ),
        "setup.py": re.compile(r"\bname\s*=\s*['\"](?P<name>[^'\"]+)"),
        "setup.cfg": None,
        "requirements.txt": None,
        "Pipfile": None,
    },
    constructor_is_call=True,
    own_parameters=words("self cls"),
)
