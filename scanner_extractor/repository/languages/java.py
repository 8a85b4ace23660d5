"""Java."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages import jvm
from scanner_extractor.repository.languages.language import Form, Language, Nodes, field_uses
from scanner_extractor.repository.syntax_trees import Grammar, words

LANGUAGE = Language(
    name="Java",
    proof=field_uses("programs in Java", "180 field uses of 2 public repositories"),
    grammars={".java": Grammar("tree_sitter_java")},
    nodes=Nodes(
        expressions={
            Form.STRING: words("string_literal"),
            Form.NAME: words("identifier this type_identifier"),
            Form.MEMBER: words("field_access method_reference scoped_identifier"),
            Form.METHOD: words("method_invocation"),
            Form.NEW: words("object_creation_expression"),
            Form.ITEMS: words("array_initializer element_value_array_initializer"),
            Form.ARRAY: words("array_creation_expression"),
            Form.INDEX: words("array_access"),
            Form.BINARY: words("binary_expression"),
            Form.CHOICE: words("ternary_expression"),
            Form.INNER: words("cast_expression parenthesized_expression unary_expression"),
            Form.BLOCK: words("block"),
            Form.PAIR: words("assignment_expression element_value_pair"),
            Form.NOTE: words("annotation"),
        },
        classes=words("class_declaration enum_declaration interface_declaration record_declaration"),
        functions=words("compact_constructor_declaration constructor_declaration method_declaration"),
        lambdas=words("lambda_expression"),
        loops=words("do_statement enhanced_for_statement for_statement while_statement"),
        calls=words("method_invocation object_creation_expression"),
        super_calls=words("explicit_constructor_invocation"),
        returns=words("return_statement"),
        parameters=words("formal_parameter spread_parameter"),
        parameter_lists=words("formal_parameters inferred_parameters"),
        argument_lists=words("argument_list"),
        modifiers=words("annotation marker_annotation modifiers"),
        supertypes=words("argument_list super_interfaces superclass"),
        skipped=words(
            """block_comment import_declaration line_comment package_declaration type_arguments type_parameters"""
        ),
        variables=words("variable_declarator"),
        assignments=words("assignment_expression"),
        constants=words("enum_constant"),
        containers=words(
            """block class_body enum_body enum_body_declarations expression_statement interface_body program ERROR"""
        ),
        fields=words("enum_constant field_declaration formal_parameter"),
        plain=words("field_declaration"),
        comments=words("block_comment line_comment"),
        imports=words("import_declaration"),
        packages=words("package_declaration"),
        strings=words("character_literal string_literal"),
        statements=words("expression_statement method_invocation"),
        throws=words("throw_statement"),
    ),
    values=jvm.VALUES,
    calls=jvm.CALLS,
    notes=jvm.NOTES,
    client_words=jvm.WORDS,
    client_import=jvm.IMPORT,
    entry=re.compile(r"static\s+(?:final\s+)?void\s+main\s*\(|void\s+main\s*\(\s*(?:final\s+)?String"),
    build_files=jvm.BUILD_FILES,
)
