"""Servers that no package registry has, built from their public source; each function fills a directory of the cache.

Nothing that is built here is part of the project: the source of ksqlDB and of Schema Registry is under the Confluent
Community License, and stays in the cache of the machine that builds it.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from fetching import NotToBeHad, compiled, copied, java_files, maven, run, source, target
from places import TREE

CONFLUENT = "8.3.1"
KARAPACE = "6.2.0"
AXONOPS = "v0.4.0-mcp-phase7"
UNITY = "0.6.0"


def ksqldb(name: str, directory: Path) -> None:
    """Build ksqlDB: its own modules, and those of Schema Registry's clients, on Apache Kafka instead of the fork."""
    work = target(name)
    engine, registry, common = (
        source(f"confluentinc/{repository}", f"v{CONFLUENT}", work / repository)
        for repository in ("ksql", "schema-registry", "common")
    )
    copied(name, directory / "lib")
    tools = work / "tools"
    maven("ksqldb-tools", "dependency:copy-dependencies", f"-DoutputDirectory={tools}")
    _change(engine, _KSQLDB_CHANGES)
    grammar = engine / "ksqldb-parser/src/main/antlr4"
    files = sorted(str(file.relative_to(grammar)) for file in grammar.rglob("*.g4"))
    package = ("-visitor", "-listener", "-package", "io.confluent.ksql.parser")
    parser = work / "generated/io/confluent/ksql/parser"
    run(["java", "-cp", f"{tools}/*", "org.antlr.v4.Tool", *package, "-o", str(parser), *files], directory=grammar)
    metrics = engine / "ksqldb-version-metrics-client/src/main/avro/KsqlVersionMetrics.avsc"
    (avro,) = tools.glob("avro-tools-*.jar")
    run(["java", "-jar", str(avro), "compile", "schema", str(metrics), str(work / "generated")])
    modules = (
        *(engine / f"ksqldb-{part}" for part in (
            "stream-lib", "udf", "common", "serde", "metastore", "execution", "parser", "streams", "engine-common",
            "engine", "rest-model", "rest-client", "version-metrics-client", "rest-app", "rocksdb-config-setter",
        )),
        *(registry / part for part in (
            "client", "avro-data", "avro-converter", "avro-serializer", "schema-serializer", "json-schema-provider",
            "json-schema-serializer", "json-schema-converter", "json-serializer", "protobuf-provider",
            "protobuf-serializer", "protobuf-converter", "schema-converter", "schema-types", "avro-types",
            "protobuf-types",
        )),
        *(common / part for part in ("utils", "config", "logging", "log4j2-extensions")),
    )  # fmt: skip
    classes = work / "classes"
    roots = [module / "src/main/java" for module in modules]
    compiled(
        java_files(*roots, work / "generated", TREE / "stubs/ksqldb"),
        f"{directory}/lib/*",
        classes,
        "-proc:none",
        "-g",
        "--release",
        "17",
    )
    _resources(modules, classes, {"version.properties": (r"(?m)^version=.*", f"version={CONFLUENT}")})
    # Its functions are searched for in the elements of the class path with this word in their name.
    run(["jar", "cf", str(directory / f"ksqldb-engine-{CONFLUENT}.jar"), "-C", str(classes), "."])
    shutil.rmtree(work)


def schema_registry(name: str, directory: Path) -> None:
    """Build Confluent Schema Registry on Apache Kafka."""
    work = target(name)
    registry, rest, common = (
        source(f"confluentinc/{repository}", f"v{CONFLUENT}", work / repository)
        for repository in ("schema-registry", "rest-utils", "common")
    )
    copied(name, directory / "lib")
    parts = (
        "schema-types", "avro-types", "protobuf-types", "client", "protobuf-provider", "json-schema-provider", "core",
    )  # fmt: skip
    modules = (rest / "core", common / "utils", *(registry / part for part in parts))
    classes = work / "classes"
    compiled(java_files(*(module / "src/main/java" for module in modules)), f"{directory}/lib/*", classes)
    _resources(modules, classes, {"*.properties": (r"\$\{(?:project\.version|gitCommitID)\}", CONFLUENT)})
    run(["jar", "cf", str(directory / f"schema-registry-{CONFLUENT}.jar"), "-C", str(classes), "."])
    shutil.rmtree(work)


def karapace(name: str, directory: Path) -> None:
    """Build Karapace: Python, with a library in Go that checks Protobuf against a fork of buf."""
    work = target(name)
    program = source("Aiven-Open/karapace", KARAPACE, directory / "program", "src", "go", "runtime", "requirements")
    module = program / "go/protopace"
    definition = (module / "go.mod").read_text("utf-8")
    replaced = re.search(r"(?m)^replace github\.com/bufbuild/buf => .*-([0-9a-f]{12})$", definition)
    if not replaced:
        raise NotToBeHad("go.mod replaces buf in an unknown way")
    # The fork's module declares another path than its repository's, which the module proxy refuses.
    buf = source("Aiven-Open/buf", replaced[1], work / "buf")
    (module / "go.mod").write_text(
        definition.replace(replaced[0], f"replace github.com/bufbuild/buf => {buf}"), "utf-8"
    )
    command = ["go", "build", "-buildmode=c-shared", "-o", str(program / "src/protopacelib.so"), "."]
    run(command, directory=module, environment={"GOFLAGS": "-mod=mod"})
    for file in ("version.py", "core/version.py"):
        (program / "src/karapace" / file).write_text(f'__version__ = "{KARAPACE}"\n', "utf-8")
    run([sys.executable, "-m", "venv", str(directory / "venv")])
    listed = (program / "requirements/requirements.txt").read_text("utf-8").splitlines()
    # Its own fork of avro is on GitHub only; the release that it was made from reads the lab's schemas, too.
    pinned = [line for line in listed if line.strip() and not line.startswith(("avro", "#", " "))]
    (work / "requirements.txt").write_text("\n".join([*pinned, "avro==1.12.0"]), "utf-8")
    run([str(directory / "venv/bin/pip"), "install", "-q", "-r", str(work / "requirements.txt")])
    shutil.rmtree(work)


def axonops(name: str, directory: Path) -> None:
    """Build AxonOps Schema Registry, which is one Go program."""
    program = source("axonops/axonops-schema-registry", AXONOPS, target(name) / "source")
    run(["go", "build", "-o", str(directory / "schema-registry"), "./cmd/schema-registry"], directory=program)
    shutil.rmtree(program.parent)


def unity(name: str, directory: Path) -> None:
    """Build Unity Catalog OSS: its models are generated from its own OpenAPI documents."""
    work = target(name)
    program = source("unitycatalog/unitycatalog", f"v{UNITY}", work / "source", "api", "server", "etc")
    copied(name, directory / "lib")
    tools = work / "tools"
    maven("unity-tools", "dependency:copy-dependencies", f"-DoutputDirectory={tools}")
    generated = work / "generated"
    for document, package in (("all", "server"), ("delta", "server.delta"), ("control", "control")):
        _models(program / f"api/{document}.yaml", f"io.unitycatalog.{package}.model", generated, tools)
    _change(program, _UNITY_CHANGES)
    version = generated / "src/main/java/io/unitycatalog/server/utils/VersionUtils.java"
    version.parent.mkdir(parents=True)
    version.write_text(_UNITY_VERSION, "utf-8")
    classes = work / "classes"
    files = java_files(program / "server/src/main/java", generated / "src/main/java")
    processor = ("-processor", "lombok.launch.AnnotationProcessorHider$AnnotationProcessor")
    compiled(files, f"{directory}/lib/*:{tools}/*", classes, *processor, "--release", "17")
    _resources((program / "server",), classes, {})
    run(["jar", "cf", str(directory / f"unitycatalog-server-{UNITY}.jar"), "-C", str(classes), "."])
    shutil.copytree(program / "etc", directory / "etc")
    shutil.rmtree(work)


_UNITY_VERSION = f'''package io.unitycatalog.server.utils;

public class VersionUtils {{
  public static String VERSION = "{UNITY}";
}}
'''
"""A class that its build generates."""


def _models(document: Path, package: str, directory: Path, tools: Path) -> None:
    """Generate the classes of an OpenAPI document's models, and nothing else."""
    more = "library=resteasy,useJakartaEe=true,hideGenerationTimestamp=true"
    only = "models,modelDocs=false,modelTests=false"
    run(["java", "-cp", f"{tools}/*", "org.openapitools.codegen.OpenAPIGenerator", "generate", "-g", "java",
         "-i", str(document), "-o", str(directory), "--global-property", only, "--model-package", package,
         "--additional-properties", more])  # fmt: skip


Changes = Mapping[str, Iterable[tuple[str, str]]]
"""By file: what is replaced by what; each pattern has to match."""

_KSQLDB_CHANGES: Changes = {
    "ksqldb-engine/src/main/java/io/confluent/ksql/services/ServiceContextFactory.java": (
        (r"(?s)final KafkaClientSupplier finalKafkaClientSupplier;\s*if \(ksqlConfig.*?\} else \{\s*"
         r"finalKafkaClientSupplier = kafkaClientSupplier;\s*\}",
         "final KafkaClientSupplier finalKafkaClientSupplier = kafkaClientSupplier;"),
        (r"(?s)\n  private static class KafkaClientSupplierWithProxyConfigs.*\n  \}\n", "\n"),
        (r"import org\.apache\.kafka\.common\.network\.ProxyProtocol(?:Command)?;\n", ""),
    ),
    "ksqldb-common/src/main/java/io/confluent/ksql/util/KsqlConfig.java": (
        (r"AppInfo\(System\.currentTimeMillis\(\),\s*KsqlConstants\.enableLoggingAppInfo\)",
         "AppInfo(System.currentTimeMillis())"),
    ),
    "ksqldb-common/src/main/java/io/confluent/ksql/security/oauth/OAuthBearerCredentials.java": (
        (r"(?s)return new HttpJwtRetriever\(.*?false\);", 'throw new UnsupportedOperationException("OAuth");'),
    ),
}  # fmt: skip
"""The places that use the fork of Kafka's clients: a proxy protocol, a switch of a log line, and OAuth."""

_UNITY_CHANGES: Changes = {
    "server/src/main/java/io/unitycatalog/server/URLTranscoderVerticle.java": (
        (r"server\.listen\(\s*transcodePort,", 'server.listen(transcodePort, "127.0.0.1",'),
    ),
}
"""It listens on all addresses and has no setting for that."""


def _change(directory: Path, changes: Changes) -> None:
    for file, pairs in changes.items():
        text = (directory / file).read_text("utf-8")
        for pattern, replacement in pairs:
            text, count = re.subn(pattern, replacement, text)
            if not count:
                raise NotToBeHad(f"{file}: the place to change was not found: {pattern}")
        (directory / file).write_text(text, "utf-8")


def _resources(modules: Iterable[Path], classes: Path, changes: Mapping[str, tuple[str, str]]) -> None:
    """Copy the resources of *modules* beside their classes; *changes* fills in what Maven would, by file name."""
    for module in modules:
        for part in ("resources", "proto"):
            if (module / "src/main" / part).is_dir():
                shutil.copytree(module / "src/main" / part, classes, dirs_exist_ok=True)
    for name, (pattern, replacement) in changes.items():
        for file in classes.rglob(name):
            file.write_text(re.sub(pattern, replacement, file.read_text("utf-8")), "utf-8")
