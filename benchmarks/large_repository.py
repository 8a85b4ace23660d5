"""A repository of many files for benchmarks: services in five languages; few or all of its files use Kafka."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_FILES_OF_SERVICE = 100
_NAMES = (
    "account address amount basket billing branch campaign carrier catalog channel claim contact contract courier "
    "credit currency customer delivery discount document event export group holder import index invoice item journal "
    "label ledger limit line location manager margin market member merchant method notice offer option order origin "
    "owner package parcel partner payment period person plan policy position price product profile quote rate reason "
    "receipt record refund region report request reserve result return review route rule sale schedule score section "
    "segment seller service session share shipment shop site source stage state status stock store subject supplier "
    "table target task tax team term ticket token total tracking trade transfer unit update user value vendor "
    "version vessel visit voucher warehouse window zone"
)

_WORDS = _NAMES.split()


class _Language(NamedTuple):
    """A language: the path of a source file, its text, and the text of one that uses Kafka."""

    path: str
    build: tuple[str, str]
    plain: Callable[[random.Random, str, str], str]
    using: Callable[[random.Random, str, str, str], str]


def write_repository(directory: Path, files: int, *, using: int) -> None:
    """Write a repository of *files* files; *using* of the 100 files of each service use Kafka.

    Of the source files one in ten is a test; one file in five is configuration, documentation or data.
    """
    for path, text in _files(files, using):
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def commit(directory: Path, message: str) -> None:
    """Commit all files of a repository; it is made if it is not there."""
    git = ["git", "-C", str(directory), "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "gc.auto=0"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", message]):
        subprocess.run([*git, *arguments], check=True)


def _files(files: int, using: int) -> Iterator[tuple[str, str]]:
    rng = random.Random(20)
    for number in range(files // _FILES_OF_SERVICE):
        service = f"{rng.choice(_WORDS)}-{rng.choice(_WORDS)}-{number}"
        language = _LANGUAGES[number % len(_LANGUAGES)]
        build, text = language.build
        yield f"services/{service}/{build.replace('NAME', service)}", text.replace("NAME", service)
        yield f"services/{service}/deploy/deployment.yaml", _deployment(service)
        for place in range(2, _FILES_OF_SERVICE):
            yield _file(rng, service, language, place, place - 2 < using)


def _file(rng: random.Random, service: str, language: _Language, place: int, uses_kafka: bool) -> tuple[str, str]:
    name = "".join(word.capitalize() for word in rng.choices(_WORDS, k=2)) + str(place)
    folder = f"services/{service}"
    if uses_kafka:
        topic = f"{service}.{rng.choice(_WORDS)}.v{place % 3}"
        return f"{folder}/{language.path.format(name=name)}", language.using(rng, service, name, topic)
    match place % 10:
        case 0:
            return f"{folder}/config/{name.lower()}.yaml", _settings(rng)
        case 5:
            return (
                (f"{folder}/docs/{name.lower()}.md", _document(rng))
                if place % 20 == 5
                else (f"{folder}/data/{name.lower()}.json", _data(rng))
            )
        case 3:
            path = language.path.format(name=f"{name}Test").replace("src/main", "src/test")
            return f"{folder}/test/{path}", language.plain(rng, service, f"{name}Test")
        case _:
            return f"{folder}/{language.path.format(name=name)}", language.plain(rng, service, name)


def _deployment(service: str) -> str:
    return f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {service}
spec:
  template:
    spec:
      containers:
        - name: {service}
          image: registry.example.org/{service}:1.4.2
          env:
            - name: KAFKA_BROKERS
              value: kafka:9092
"""


def _settings(rng: random.Random) -> str:
    lines = [f"  {rng.choice(_WORDS)}-{number}:\n    {rng.choice(_WORDS)}: {number}" for number in range(30)]
    return "settings:\n" + "\n".join(lines) + "\n"


def _document(rng: random.Random) -> str:
    return "# Notes\n\n" + "\n".join(" ".join(rng.choices(_WORDS, k=15)).capitalize() + "." for _ in range(40)) + "\n"


def _data(rng: random.Random) -> str:
    rows = [f'  {{"{rng.choice(_WORDS)}": "{rng.choice(_WORDS)}", "number": {number}}}' for number in range(40)]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _java(rng: random.Random, service: str, name: str) -> str:
    fields = rng.sample(_WORDS, 8)
    package = service.replace("-", "")
    parts = [f"package org.example.{package};\n", "import java.util.List;\nimport java.util.Map;\n"]
    parts.append("".join(f"import org.example.{package}.{word.capitalize()};\n" for word in fields[:4]))
    parts.append(f"public class {name} extends Base{fields[0].capitalize()} {{\n")
    for word in fields:
        parts.append(f"    private final String {word};\n")
    for word in fields:
        title = word.capitalize()
        parts.append(
            f"""
    /** Returns the {word} of this {name}, or the default. */
    public String get{title}(Map<String, List<String>> options) {{
        for (String option : options.getOrDefault("{word}", List.of())) {{
            if (option != null && option.length() > {rng.randrange(9)}) {{
                return this.{word} + option.toLowerCase();
            }}
        }}
        return {fields[1]}.equals("{word}") ? repository.find(this.{word}, {rng.randrange(99)}) : this.{word};
    }}
"""
        )
    return "".join(parts) + "}\n"


def _java_using(rng: random.Random, service: str, name: str, topic: str) -> str:
    package = service.replace("-", "")
    first, second, third = rng.sample(_WORDS, 3)
    return f"""package org.example.{package};

import com.fasterxml.jackson.annotation.JsonProperty;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

public class {name} {{
    private final KafkaTemplate<String, Message> template;

    public record Message(@JsonProperty("{first}_id") String {first}, String {second}, long {third}) {{}}

    @KafkaListener(topics = "{topic}", groupId = "{service}")
    public void receive(Message message) {{
        if (message.{second}() != null) {{
            log.info("received {{}}", message.{first}());
            Message next = new Message(message.{first}(), "x", message.{third}() + 1);
            template.send("{topic}.done", message.{first}(), next);
        }}
    }}
""" + _java(rng, service, name).partition("{\n")[2]


def _python(rng: random.Random, service: str, name: str) -> str:
    fields = rng.sample(_WORDS, 8)
    parts = ['"""Rules of this part."""\n\nfrom __future__ import annotations\n\nimport logging\n']
    parts.append(f"from {service.replace('-', '_')}.{fields[0]} import {fields[1].capitalize()}, {fields[2]}\n\n\n")
    parts.append(f"class {name}({fields[1].capitalize()}):\n")
    for word in fields:
        parts.append(
            f'''
    def {word}(self, options: dict[str, list[str]]) -> str:
        """Return the {word} of this part, or the default."""
        for option in options.get("{word}", []):
            if option and len(option) > {rng.randrange(9)}:
                return f"{{self._{word}}}{{option.lower()}}"
        return {fields[2]}(self._{word}, {rng.randrange(99)}) if self.{fields[3]} == "{word}" else self._{word}
'''
        )
    return "".join(parts)


def _python_using(rng: random.Random, service: str, name: str, topic: str) -> str:
    first, second = rng.sample(_WORDS, 2)
    head = f"""import json

from confluent_kafka import Consumer, Producer

TOPIC = "{topic}"


def run_{name.lower()}(settings):
    consumer = Consumer({{"bootstrap.servers": settings.brokers, "group.id": "{service}"}})
    producer = Producer({{"bootstrap.servers": settings.brokers}})
    consumer.subscribe([TOPIC])
    while True:
        message = consumer.poll(1.0)
        value = json.loads(message.value())
        if value["{first}"]:
            body = {{"{first}": value["{first}"], "{second}": value.get("{second}")}}
            producer.produce("{topic}.done", json.dumps(body))


"""
    return head + _python(rng, service, name)


def _go(rng: random.Random, service: str, name: str) -> str:
    fields = rng.sample(_WORDS, 8)
    parts = [f'package {fields[0]}\n\nimport (\n\t"context"\n\t"fmt"\n\n\t"example.org/{service}/{fields[1]}"\n)\n\n']
    parts.append(f"type {name} struct {{\n" + "".join(f"\t{word.capitalize()} string\n" for word in fields) + "}\n")
    for word in fields:
        parts.append(
            f"""
// {word.capitalize()}Of returns the {word}, or the default.
func (s *{name}) {word.capitalize()}Of(ctx context.Context, options map[string][]string) (string, error) {{
	for _, option := range options["{word}"] {{
		if len(option) > {rng.randrange(9)} {{
			return fmt.Sprintf("%s%s", s.{word.capitalize()}, option), nil
		}}
	}}
	return {fields[1]}.Find(ctx, s.{word.capitalize()}, {rng.randrange(99)})
}}
"""
        )
    return "".join(parts)


def _go_using(rng: random.Random, service: str, name: str, topic: str) -> str:
    first, second = (word.capitalize() for word in rng.sample(_WORDS, 2))
    body = _go(rng, service, name).partition("\n\n")[2]
    package, rest = f"package {rng.choice(_WORDS)}\n\n", body.partition(")\n\n")[2]
    return f"""{package}import (
	"context"
	"encoding/json"

	"github.com/segmentio/kafka-go"
)

type {name}Message struct {{
	{first} string `json:"{first.lower()}_id"`
	{second} int `json:"{second.lower()}"`
}}

func Run{name}(ctx context.Context) error {{
	reader := kafka.NewReader(kafka.ReaderConfig{{Brokers: brokers, GroupID: "{service}", Topic: "{topic}"}})
	writer := &kafka.Writer{{Addr: kafka.TCP("kafka:9092"), Topic: "{topic}.done"}}
	for {{
		message, err := reader.ReadMessage(ctx)
		if err != nil {{
			return err
		}}
		var event {name}Message
		if err := json.Unmarshal(message.Value, &event); err != nil {{
			return err
		}}
		if event.{first} != "" {{
			body, _ := json.Marshal({name}Message{{{first}: event.{first}, {second}: event.{second} + 1}})
			writer.WriteMessages(ctx, kafka.Message{{Value: body}})
		}}
	}}
}}

{rest}"""


def _typescript(rng: random.Random, _: str, name: str) -> str:
    fields = rng.sample(_WORDS, 8)
    parts = [
        f"import {{ {fields[1].capitalize()} }} from './{fields[1]}';\nimport {fields[2]} from '../{fields[2]}';\n\n"
    ]
    parts.append(f"export class {name} extends {fields[1].capitalize()} {{\n")
    for word in fields:
        parts.append(
            f"""
  /** Returns the {word}, or the default. */
  async {word}(options: Record<string, string[]>): Promise<string> {{
    for (const option of options['{word}'] ?? []) {{
      if (option.length > {rng.randrange(9)}) {{
        return `${{this.{word}}}${{option.toLowerCase()}}`;
      }}
    }}
    return this.kind === '{word}' ? {fields[2]}.find(this.{word}, {rng.randrange(99)}) : this.{word};
  }}
"""
        )
    return "".join(parts) + "}\n"


def _typescript_using(rng: random.Random, service: str, name: str, topic: str) -> str:
    first, second = rng.sample(_WORDS, 2)
    head = f"""import {{ Kafka }} from 'kafkajs';

interface {name}Message {{
  {first}: string;
  {second}: number;
}}

const kafka = new Kafka({{ clientId: '{service}', brokers: ['kafka:9092'] }});

export async function run{name}() {{
  const consumer = kafka.consumer({{ groupId: '{service}' }});
  const producer = kafka.producer();
  await consumer.subscribe({{ topic: '{topic}' }});
  await consumer.run({{
    eachMessage: async ({{ message }}) => {{
      const event: {name}Message = JSON.parse(message.value.toString());
      if (event.{first}) {{
        const value = JSON.stringify({{ {first}: event.{first}, {second}: event.{second} + 1 }});
        await producer.send({{ topic: '{topic}.done', messages: [{{ value }}] }});
      }}
    }},
  }});
}}

"""
    return head + _typescript(rng, service, name)


def _csharp(rng: random.Random, service: str, name: str) -> str:
    fields = rng.sample(_WORDS, 8)
    parts = [f"using System;\nusing System.Collections.Generic;\n\nnamespace Example.{service.replace('-', '_')};\n\n"]
    parts.append(f"public class {name} : {fields[0].capitalize()}Base\n{{\n")
    for word in fields:
        parts.append(
            f"""
    /// <summary>Returns the {word}, or the default.</summary>
    public string {word.capitalize()}Of(Dictionary<string, List<string>> options)
    {{
        foreach (var option in options["{word}"])
        {{
            if (option != null && option.Length > {rng.randrange(9)}) return _{word} + option.ToLower();
        }}
        return _kind == "{word}" ? _repository.Find(_{word}, {rng.randrange(99)}) : _{word};
    }}
"""
        )
    return "".join(parts) + "}\n"


def _csharp_using(rng: random.Random, service: str, name: str, topic: str) -> str:
    first, second = (word.capitalize() for word in rng.sample(_WORDS, 2))
    rest = _csharp(rng, service, name).partition(";\n\npublic")[2]
    return f"""using System.Text.Json;
using Confluent.Kafka;

namespace Example.{service.replace("-", "_")};

public record {name}Message(string {first}, int {second});

public class {name}Worker
{{
    public void Run(IProducer<string, string> producer, ConsumerConfig config)
    {{
        using var consumer = new ConsumerBuilder<string, string>(config).Build();
        consumer.Subscribe("{topic}");
        while (true)
        {{
            var result = consumer.Consume();
            var message = JsonSerializer.Deserialize<{name}Message>(result.Message.Value);
            var value = JsonSerializer.Serialize(new {name}Message(message.{first}, message.{second} + 1));
            producer.Produce("{topic}.done", new Message<string, string> {{ Value = value }});
        }}
    }}
}}

public{rest}"""


_POM = """<project>
  <artifactId>NAME</artifactId>
  <dependencies>
    <dependency><groupId>org.springframework.kafka</groupId><artifactId>spring-kafka</artifactId></dependency>
  </dependencies>
</project>
"""
_PYPROJECT = '[project]\nname = "NAME"\ndependencies = ["confluent-kafka"]\n'
_GO_MOD = "module example.org/NAME\n\ngo 1.22\n\nrequire github.com/segmentio/kafka-go v0.4.47\n"
_PACKAGE = '{"name": "NAME", "dependencies": {"kafkajs": "2.2.4"}}\n'
_PROJECT = (
    '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Confluent.Kafka" /></ItemGroup></Project>\n'
)
_LANGUAGES = (
    _Language("src/main/java/{name}.java", ("pom.xml", _POM), _java, _java_using),
    _Language("app/{name}.py", ("pyproject.toml", _PYPROJECT), _python, _python_using),
    _Language("internal/{name}.go", ("go.mod", _GO_MOD), _go, _go_using),
    _Language("src/{name}.ts", ("package.json", _PACKAGE), _typescript, _typescript_using),
    _Language("Services/{name}.cs", ("NAME.csproj", _PROJECT), _csharp, _csharp_using),
)
