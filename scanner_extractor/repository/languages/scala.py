"""Scala."""

from __future__ import annotations

import re

from scanner_extractor.repository.languages import jvm
from scanner_extractor.repository.languages.language import Form, Language, Nodes
from scanner_extractor.repository.syntax_trees import Grammar, words
from scanner_model.maturity import Proof

LANGUAGE = Language(
    name="Scala",
    proof=Proof("programs in Scala"),
    grammars={".scala": Grammar("tree_sitter_scala")},
    nodes=Nodes(
        expressions={
            Form.STRING: words("interpolated_string_expression string"),
            Form.NAME: words("identifier package_identifier type_identifier"),
            Form.MEMBER: words("field_expression"),
            Form.CALL: words("call_expression"),
            Form.NEW: words("instance_expression"),
            Form.BINARY: words("infix_expression"),
            Form.CHOICE: words("if_expression"),
            Form.INNER: words("parenthesized_expression prefix_expression"),
            Form.BLOCK: words("block"),
            Form.PAIR: words("assignment_expression"),
            Form.NOTE: words("annotation"),
        },
        classes=words("class_definition enum_definition object_definition trait_definition"),
        functions=words("function_declaration function_definition"),
        lambdas=words("case_block lambda_expression"),
        loops=words("for_expression while_expression"),
        calls=words("call_expression infix_expression instance_expression"),
        returns=words("return_expression"),
        parameters=words("binding class_parameter parameter"),
        parameter_lists=words("bindings class_parameters parameters"),
        argument_lists=words("arguments"),
        interpolations=words("interpolation"),
        modifiers=words("annotation modifiers"),
        supertypes=words("extends_clause"),
        skipped=words("""block_comment comment import_declaration type_arguments type_parameters using_directive"""),
        variables=words("val_definition var_definition"),
        assignments=words("assignment_expression"),
        containers=words("""block compilation_unit enum_body package_clause template_body var_declaration ERROR"""),
        fields=words("class_parameter val_definition var_definition"),
        plain=words("val_definition var_definition"),
        comments=words("block_comment comment"),
        imports=words("import_declaration using_directive"),
        packages=words("package_clause"),
        strings=words("character_literal interpolated_string_expression string"),
        statements=words("call_expression"),
        throws=words("throw_expression"),
    ),
    values=jvm.VALUES,
    calls=jvm.CALLS,
    notes=jvm.NOTES,
    client_words=jvm.WORDS,
    client_import=jvm.IMPORT,
    entry=re.compile(r"extends\s+(?:\w+\s+with\s+){0,20}(?:App|IOApp|ZIOAppDefault)\b|\bdef\s+main\s*\(|@main\b"),
    build_files={
        **jvm.BUILD_FILES,
        "build.sbt": re.compile(r"(?m)^[^\S\n]*(?:ThisBuild\s*/\s*)?name\s*:=\s*\"(?P<name>[^\"]+)"),
    },
    constructor_is_call=True,
)
