# ruff: noqa: E501 - texts of files
"""What changes the image of a program is not fine; what only builds, describes or arranges it in another way is."""

from __future__ import annotations

import pytest

from scanner_check.model import Verdict

PROGRAM = """import os
from confluent_kafka import Producer
p = Producer({"bootstrap.servers": "b:9092"})
p.produce("orders.events", os.environ["CURRENCY"].encode())
"""
ONE_STAGE = """FROM python:3.12-slim
WORKDIR /app
RUN apt-get update && apt-get install -y curl
RUN useradd app
COPY requirements.txt ./
RUN pip install -r requirements.txt
COPY . .
LABEL team=orders
EXPOSE 8080
CMD ["python", "main.py"]
"""
STAGES = """ARG MODULE=orders
FROM golang:1.22 AS build
WORKDIR /src
COPY . .
RUN go build -o /out/ ./cmd/...
FROM build AS test
RUN go test ./...
FROM gcr.io/distroless/base:nonroot
ARG MODULE
WORKDIR /app
COPY conf/common/ conf/
COPY conf/prod/ conf/
COPY --from=build /out/${MODULE} ./service
ENTRYPOINT ["./service"]
CMD ["--topic", "orders.events"]
"""
GO = """package main

import (
\t"context"

\t"github.com/segmentio/kafka-go"
)

func main() {
\tw := &kafka.Writer{Addr: kafka.TCP("b:9092"), Topic: "orders.events"}
\tw.WriteMessages(context.Background(), kafka.Message{Value: []byte("x")})
}
"""
FILES = {
    "shop/Dockerfile": ONE_STAGE,
    "shop/main.py": PROGRAM,
    "shop/requirements.txt": "confluent-kafka==2.3.0\n",
    "pay/Dockerfile": STAGES,
    "pay/go.mod": "module pay\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "pay/cmd/orders/main.go": GO,
    "web/Dockerfile": "FROM nginx:1\nCOPY site /usr/share/nginx/html\n",
    "web/site/index.html": "<p>shop</p>\n",
    "images/audit/Dockerfile": 'FROM python:3.12\nCOPY audit /srv\nCMD ["python", "/srv/main.py"]\n',
    "audit/main.py": 'from confluent_kafka import Consumer\nc = Consumer({"group.id": "audit"})\nc.subscribe(["orders.events"])\n',
    "audit/requirements.txt": "confluent-kafka==2.3.0\n",
}
MATTERS = [
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN sed -i 's/orders/other/' main.py\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN find . -name '*.py' -exec sed -i s/orders/other/ {} +\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN <<EOF\nsed -i s/orders/other/ /app/main.py\nEOF\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN python - <<'EOF'\nopen('main.py', 'w')\nEOF\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nCOPY <<EOF main.py\nprint()\nEOF\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN echo 'print(1)' > /app/main.py\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN git apply fix.patch\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nRUN rm main.py\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nCOPY override/ .\n"),
    ("shop/Dockerfile", "COPY . .\n", "COPY . .\nADD https://example.org/main.py /app/main.py\n"),
    (
        "shop/Dockerfile",
        "COPY . .\n",
        "COPY . .\nRUN --mount=type=bind,source=fix,target=/fix patch -p1 < /fix/a.patch\n",
    ),
    ("shop/Dockerfile", "COPY . .\n", 'COPY . .\nRUN ["sh", "-c", "sed -i s/orders/other/ main.py"]\n'),
    ("shop/Dockerfile", "-r requirements.txt", "-r requirements.txt orders-client"),
    ("shop/Dockerfile", '"main.py"]', '"other.py"]'),
    ("shop/Dockerfile", 'CMD ["python", "main.py"]', "CMD tail -f /dev/null"),
    ("shop/Dockerfile", "CMD [", 'SHELL ["/bin/other", "-c"]\nCMD ['),
    (
        "shop/Dockerfile",
        'CMD ["python", "main.py"]\n',
        'CMD ["python", "main.py"]\nFROM python:3.12-slim\nCOPY jobs /jobs\nCMD ["python", "/jobs/main.py"]\n',
    ),
    ("shop/Dockerfile", "WORKDIR /app\n", "WORKDIR /app\nENV CURRENCY=CHF\n"),
    ("pay/Dockerfile", "MODULE=orders", "MODULE=refunds"),
    ("pay/Dockerfile", "/out/${MODULE}", "/out/refunds"),
    ("pay/Dockerfile", "./cmd/...", "-tags dry ./cmd/..."),
    (
        "pay/Dockerfile",
        "COPY conf/common/ conf/\nCOPY conf/prod/ conf/",
        "COPY conf/prod/ conf/\nCOPY conf/common/ conf/",
    ),
    ("pay/Dockerfile", '"orders.events"]', '"orders.other"]'),
    ("pay/Dockerfile", "COPY --from=build", "COPY --from=acme/other:1"),
    ("pay/Dockerfile", "FROM gcr", "FROM golang:1.22 AS fork\nCOPY fork .\nRUN go build -o /out/ ./...\nFROM gcr"),
    ("images/audit/Dockerfile", "COPY audit /srv\n", "COPY audit /srv\nRUN sed -i s/orders/other/ /srv/main.py\n"),
]
MATTERS_NOT = [
    ("shop/Dockerfile", "3.12-slim", "3.13-slim"),
    ("shop/Dockerfile", "install -y curl", "install -y curl jq && rm -rf /var/lib/apt/lists/*"),
    ("shop/Dockerfile", "LABEL team=orders", "LABEL team=shop"),
    ("shop/Dockerfile", "EXPOSE 8080", "EXPOSE 9090\nUSER app\nHEALTHCHECK CMD curl -f http://localhost:9090/"),
    ("shop/Dockerfile", "curl\nRUN useradd app\n", "curl && \\\n    # who runs it\n    useradd app\n"),
    ("shop/Dockerfile", "RUN useradd app\n", "RUN groupadd app && useradd -g app app && chown -R app /app\n"),
    ("shop/Dockerfile", 'CMD ["python", "main.py"]', "CMD python main.py"),
    ("shop/Dockerfile", 'CMD ["python", "main.py"]', 'ENTRYPOINT ["python"]\nCMD ["main.py"]'),
    ("shop/Dockerfile", 'CMD ["python", "main.py"]', 'CMD ["python", "/app/main.py"]'),
    ("shop/Dockerfile", "WORKDIR /app", "WORKDIR /srv/shop"),
    (
        "shop/Dockerfile",
        "COPY requirements.txt ./\nRUN pip install -r requirements.txt\nCOPY . .\n",
        "COPY . .\nRUN pip install --no-cache-dir -r requirements.txt\n",
    ),
    ("shop/Dockerfile", "COPY . .\n", "COPY --chown=app . /app\n"),
    (
        "shop/Dockerfile",
        "RUN useradd app\n",
        "RUN useradd app\nRUN curl -Lo /usr/local/bin/wait-for https://example.org/wait-for\n",
    ),
    ("shop/Dockerfile", "RUN useradd app\n", "RUN useradd app\nRUN sed -i 's/80/8080/' /etc/nginx/nginx.conf\n"),
    ("shop/Dockerfile", "FROM python:3.12-slim\n", "ARG PYTHON=3.12\nFROM python:${PYTHON}-slim\n"),
    ("pay/Dockerfile", "AS build", "AS compile"),
    ("pay/Dockerfile", "FROM gcr", "FROM build AS lint\nRUN go vet ./...\nFROM gcr"),
    ("pay/Dockerfile", "COPY . .\n", "COPY go.mod go.sum ./\nCOPY . .\n"),
    ("pay/Dockerfile", 'CMD ["--topic"', 'COPY package.json .\nCMD ["--topic"'),
    (
        "shop/Dockerfile",
        "WORKDIR /app\n",
        "RUN wget https://example.org/a-1.2.tar.gz && tar -xzf a-1.2.tar.gz -C /opt\nWORKDIR /app\n",
    ),
    (
        "images/audit/Dockerfile",
        "COPY audit /srv\n",
        "COPY audit /srv\nRUN cp ca.pem /usr/local/share/ca-certificates/ca.crt\n",
    ),
    ("pay/Dockerfile", "go test ./...", "go test -race ./..."),
    ("pay/Dockerfile", "ARG MODULE\n", "ARG MODULE\nARG BUILD_DATE\nLABEL built=$BUILD_DATE\n"),
    ("pay/Dockerfile", "${MODULE}", "orders"),
    ("pay/Dockerfile", "distroless/base:nonroot", "distroless/static@sha256:0123"),
    ("web/Dockerfile", "html\n", "html\nRUN sed -i s/a/b/ /usr/share/nginx/html/index.html\n"),
]


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[path]
    text = FILES[path].replace(old, new, 1)
    if " AS fork" in new:
        return {path: text.replace("--from=build", "--from=fork")}
    return {
        path: text.replace("--from=build", "--from=compile").replace("FROM build", "FROM compile")
        if new == "AS compile"
        else text
    }


@pytest.mark.slow
@pytest.mark.parametrize(("path", "old", "new"), MATTERS)
def test_what_changes_the_image_of_a_program_is_not_fine(check, path: str, old: str, new: str) -> None:
    assert check(edited(path, old, new), FILES).verdict is not Verdict.FINE


@pytest.mark.slow
@pytest.mark.parametrize(("path", "old", "new"), MATTERS_NOT)
def test_what_arranges_the_image_in_another_way_is_fine(check, path: str, old: str, new: str) -> None:
    report = check(edited(path, old, new), FILES)

    assert report.verdict is Verdict.FINE, report.findings


@pytest.mark.slow
def test_a_stage_that_a_compose_file_builds_counts(check) -> None:
    """Without it, nothing is copied from the stage."""
    change = edited("pay/Dockerfile", "go test ./...", "rm -rf cmd")
    compose = {"compose.yml": "services:\n  pay:\n    build:\n      context: pay\n      target: test\n"}

    assert check(change, FILES).verdict is Verdict.FINE
    assert check(change, FILES | compose).verdict is not Verdict.FINE


def test_an_image_that_is_built_in_another_way_is_fine_unless_it_has_another_recipe(check) -> None:
    """What no recipe is left for runs as it was built last; a recipe under another name may make something else."""
    path, other = "shop/Dockerfile", ONE_STAGE.replace("COPY . .", "COPY . .\nRUN sed -i s/orders/others/ main.py")

    assert check({path: None}, FILES).verdict is Verdict.FINE
    assert check({path: None, f"{path}.release": other}, FILES).verdict is Verdict.UNKNOWN


def test_what_an_image_gave_its_program_counts_when_its_recipe_is_gone(check) -> None:
    assert check({"pay/Dockerfile": None}, FILES).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("copied", "verdict"),
    [
        ("./site/page.py page.py", Verdict.FINE),
        ("./site/*.py .", Verdict.FINE),
        ("./shop ./shop", Verdict.UNKNOWN),
        ("./shop/ma*.py .", Verdict.UNKNOWN),
        ("./*/*.py .", Verdict.UNKNOWN),
        (". .", Verdict.UNKNOWN),
    ],
)
def test_an_image_is_of_the_programs_whose_files_it_copies(check, copied: str, verdict: Verdict) -> None:
    recipe = f'FROM python:3.12\nCOPY {copied}\nCOPY ./site/data data\nCMD ["python", "page.py"]\n'
    base = {
        **FILES,
        "site/page.py": "print(1)\n",
        "site/data/a.txt": "",
        "site/setup.py": "setup(name='site')\n",
        "site/Dockerfile": recipe,
    }

    assert check({"site/Dockerfile": recipe.replace("site/data", "site/more")}, base).verdict is verdict
