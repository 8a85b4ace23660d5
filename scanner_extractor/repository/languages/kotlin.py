"""Kotlin."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages import jvm
from scanner_extractor.repository.languages.language import Form, Language, Nodes, field_uses
from scanner_extractor.repository.syntax_trees import Grammar, words

_GRAMMAR = Grammar("tree_sitter_kotlin")

LANGUAGE = Language(
    name="Kotlin",
    proof=field_uses("programs in Kotlin", "13 field uses of 2 public repositories"),
    grammars={".kt": _GRAMMAR, ".kts": _GRAMMAR},
    nodes=Nodes(
        expressions={
            Form.STRING: words("multiline_string_literal string_literal"),
            Form.NAME: words("identifier this_expression"),
            Form.MEMBER: words("navigation_expression"),
            Form.CALL: words("call_expression"),
            Form.NEW: words("constructor_invocation"),
            Form.ITEMS: words("collection_literal"),
            Form.INDEX: words("index_expression"),
            Form.BINARY: words("binary_expression infix_expression"),
            Form.CHOICE: words("if_expression"),
            Form.INNER: words("as_expression parenthesized_expression unary_expression"),
            Form.BLOCK: words("block"),
            Form.ARGUMENT: words("value_argument"),
            Form.NOTE: words("annotation"),
        },
        classes=words("class_declaration companion_object object_declaration"),
        functions=words("function_declaration secondary_constructor"),
        lambdas=words("anonymous_function lambda_literal"),
        loops=words("do_while_statement for_statement while_statement"),
        calls=words("call_expression infix_expression"),
        super_calls=words("constructor_invocation"),
        returns=words("return_expression"),
        parameters=words("class_parameter parameter"),
        parameter_lists=words("""class_parameters function_value_parameters lambda_parameters primary_constructor"""),
        argument_lists=words("value_arguments"),
        interpolations=words("interpolation"),
        modifiers=words("annotation modifiers"),
        supertypes=words("delegation_specifiers"),
        skipped=words("block_comment line_comment package_header type_arguments type_parameters"),
        variables=words("property_declaration"),
        assignments=words("assignment"),
        constants=words("enum_entry"),
        containers=words("block class_body enum_class_body source_file ERROR"),
        fields=words("class_parameter enum_entry property_declaration"),
        plain=words("assignment property_declaration variable_declaration"),
        comments=words("block_comment line_comment"),
        imports=words("import"),
        packages=words("package_header"),
        strings=words("character_literal string_literal"),
        statements=words("call_expression"),
        throws=words("throw_expression"),
    ),
    values=jvm.VALUES,
    calls=jvm.CALLS,
    notes=jvm.NOTES,
    client_words=jvm.WORDS,
    client_import=jvm.IMPORT,
    entry=re.compile(r"\bfun\s+main\s*\("),
    build_files=jvm.BUILD_FILES,
    constructor_is_call=True,
    plain_interpolation=re.compile(r"(?<!\\)\$([A-Za-z_]\w*)"),
    pair_operators=words("to"),
)
