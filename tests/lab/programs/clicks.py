"""Writes records with OpenTelemetry's instrumentation of confluent-kafka: `clicks.py PROPERTIES TOPIC PORT SPANS`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from confluent_kafka import Producer
from opentelemetry import trace
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.instrumentation.confluent_kafka import ConfluentKafkaInstrumentor
from opentelemetry.metrics import get_meter, set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from prometheus_client import start_http_server

_SERVICE = "clicks-service"


def main(properties: str, topic: str, port: str, spans: str) -> None:
    """Write two records a second; the instrumentation makes spans, the counter of the conventions is the program's."""
    resource = Resource.create({"service.name": _SERVICE, "service.namespace": "web"})
    set_meter_provider(MeterProvider(resource=resource, metric_readers=[PrometheusMetricReader()]))
    start_http_server(int(port), "127.0.0.1")
    traces = TracerProvider(resource=resource)
    with Path(spans).open("w", encoding="utf-8", buffering=1) as file:
        traces.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=file, formatter=_line)))
        trace.set_tracer_provider(traces)
        _write(_settings(Path(properties)), topic, traces)


def _write(settings: dict[str, str], topic: str, traces: TracerProvider) -> None:
    sent = get_meter(__name__).create_counter("messaging.client.sent.messages", unit="{message}")
    attributes = {
        "messaging.system": "kafka",
        "messaging.operation.name": "send",
        "messaging.destination.name": topic,
        "messaging.client.id": settings["client.id"],
    }
    producer = ConfluentKafkaInstrumentor.instrument_producer(Producer(settings), traces)
    number = 0
    while True:
        producer.produce(topic, value=f'{{"page":{number % 7}}}')
        producer.poll(0)
        sent.add(1, attributes)
        number += 1
        time.sleep(0.5)


def _line(span: object) -> str:
    return span.to_json(indent=None) + "\n"


def _settings(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main(*sys.argv[1:])
