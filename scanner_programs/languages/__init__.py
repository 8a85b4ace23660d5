"""The programming languages, one module each: how syntax trees are lowered, and nothing else."""

from __future__ import annotations

from scanner_programs.languages import csharp, go, java, javascript, kotlin, python, rust, scala
from scanner_programs.languages.lowering import Syntax

BY_ENDING: dict[str, Syntax] = {
    ".java": java.SYNTAX,
    ".py": python.SYNTAX,
    ".go": go.SYNTAX,
    ".rs": rust.SYNTAX,
    ".scala": scala.SYNTAX,
    ".sc": scala.SYNTAX,
    ".cs": csharp.SYNTAX,
    ".kt": kotlin.SYNTAX,
    ".kts": kotlin.SYNTAX,
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"), javascript.SYNTAX),
}
"""How a file is lowered, by the ending of its name."""
