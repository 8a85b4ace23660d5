"""Streams of Flink's DataStream API and of Beam in Java: what they read and write."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.frames import document_of, python_tree
from scanner_programs.frames.reader import Program, read_jobs

_JAVA = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.sink.*;
import org.apache.flink.connector.jdbc.*;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.formats.json.JsonDeserializationSchema;
import org.apache.flink.table.api.*;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.core.fs.Path;
import com.fasterxml.jackson.databind.*;
import java.util.*;
public class Job {
  public static class Order { NOTE public String id; public double total; public String getCity() { return null; } }
  public static class Slim {
    public String key; public double sum;
    public Slim(String k, double s) { key = k; sum = s; }
  }
  static class Split extends ProcessFunction<String, Map> {
    ObjectMapper mapper;
    public void processElement(String text, Context context, Collector<Map> out) {
      JsonNode node = mapper.readTree(text);
      Map<String, Object> row = new HashMap<>();
      row.put("k", node.get("id").asText());
      out.collect(row);
      context.output(BAD, text);
    }
  }
  static class Own implements SinkFunction<Order> {
    public void invoke(Order order, Context context) { Http.post(order); }
  }
  static final OutputTag<String> BAD = new OutputTag<String>("bad");
  public static void main(String[] args) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    KafkaSource<Order> source = KafkaSource.<Order>builder().setTopics("orders").setValueOnlyDeserializer(
        new JsonDeserializationSchema<>(Order.class)).build();
    KafkaSource<String> texts = KafkaSource.<String>builder().setTopics("orders").build();
    DataStream<Order> orders = env.fromSource(source, null, "orders");
    DataStream<String> lines = env.fromSource(texts, null, "lines");
    BODY
  }
}
"""


def _program(text: str, path: str = "src/main/java/Job.java") -> Program:
    (program,) = read_jobs({path: text}, [path], document_of, python_tree)
    return program


def _written(program: Program) -> dict[str, dict[str, list[str]]]:
    return {
        f"{sink.target.namespace} {sink.target.name}".strip() if sink.target else "?": {
            out.name: sorted(".".join((dataset.name, *path)) for dataset, path in out.value.origins)
            for out in (
                sink.frame.columns
                if not sink.is_topic
                else [out for each in sink.frame.columns for out in _fields(each.value)]
            )
        }
        for sink in program.job.sinks
    }


class _Field:
    def __init__(self, name: str, value: object) -> None:
        self.name, self.value = name, value


def _fields(value: object) -> list[_Field]:
    return [_Field(name, each) for name, each in getattr(value, "parts", None) or ()]


JAVA = {
    "files": (
        'lines.sinkTo(FileSink.forRowFormat(new Path("s3://lake/lines"), new SimpleStringEncoder<>()).build());',
        {"s3://lake lines": {"value": ["orders"]}},
    ),
    "files of objects": (
        'orders.filter(o -> o.total > 0).sinkTo(FileSink.forBulkFormat(new Path("/out"), W.of(Order.class)).build());',
        {"file /out": {"id": ["orders.id"], "total": ["orders.total"]}},
    ),
    "a statement whose places a function sets": (
        'orders.keyBy(o -> o.id).map(o -> new Slim(o.id, o.total * 2)).addSink(JdbcSink.sink("INSERT INTO t (a, b)'
        ' VALUES (?, ?)", (s, o) -> { s.setString(1, o.key); s.setDouble(2, o.sum); },'
        ' new JdbcConnectionOptions.JdbcConnectionOptionsBuilder().withUrl("jdbc:postgresql://db:5432/shop").build()));',
        {"postgres://db:5432 shop.t": {"a": ["orders.id"], "b": ["orders.total"]}},
    ),
    "documents of a function, and what it puts out beside": (
        "SingleOutputStreamOperator<Map> rows = lines.process(new Split());"
        'rows.sinkTo(FileSink.forRowFormat(new Path("/rows"), null).build());'
        'rows.getSideOutput(BAD).sinkTo(FileSink.forRowFormat(new Path("/bad"), null).build());',
        {"file /rows": {"k": ["orders.id"]}, "file /bad": {"value": ["orders"]}},
    ),
    "requests of an emitter": (
        "lines.sinkTo(new Elasticsearch7SinkBuilder<String>().setEmitter((line, context, indexer) ->"
        ' { indexer.add(Requests.indexRequest().index("lines").source(Map.of("line", line))); }).build());',
        {"?": {"value": ["orders"]}},
    ),
}


@pytest.mark.parametrize(("body", "written"), JAVA.values(), ids=JAVA)
def test_sink_of_a_stream_is_written_with_the_fields_of_its_elements(
    body: str, written: dict[str, dict[str, list[str]]]
) -> None:
    program = _program(_JAVA.replace("BODY", body).replace("NOTE", ""))

    assert [dataset.name for dataset in program.job.reads] == ["orders"]
    assert _written(program) == written


def test_object_of_an_unknown_function_is_computed_from_all_fields() -> None:
    body = "orders.map(o -> other.enrich(o)).map(o -> new Slim(o.key, other.price(o.sum)))"
    body += '.sinkTo(FileSink.forRowFormat(new Path("/out"), null).build());'
    (sink,) = _program(_JAVA.replace("BODY", body).replace("NOTE", "")).job.sinks

    assert {out.value.effect for out in sink.frame.columns} == {"TRANSFORMATION"}
    assert {path for out in sink.frame.columns for _, path in out.value.origins} == {()}


def test_fields_with_notes_that_rename_them_are_not_guessed() -> None:
    body = 'orders.sinkTo(FileSink.forRowFormat(new Path("/out"), null).build());'
    program = _program(_JAVA.replace("BODY", body).replace("NOTE", '@JsonProperty("order_id")'))

    assert _written(program) == {"file /out": {"value": ["orders"]}}


def test_object_that_is_sent_to_a_topic_is_left_to_the_model_of_endpoints() -> None:
    body = 'orders.sinkTo(KafkaSink.<Order>builder().setTopic("o").build());'

    assert not _program(_JAVA.replace("BODY", body).replace("NOTE", "")).job.sinks


UNRESOLVED = {
    "a sink that is not known": ("orders.sinkTo(other.Sinks.of(1));", "what is written to is not resolved"),
    "a function of single rows": (
        "orders.addSink(new Own());",
        "what a function of single rows does with them is not resolved",
    ),
    "a source that is not known": (
        'env.fromSource(Other.source(), null, "x").sinkTo(FileSink.forRowFormat(new Path("/o"), null).build());',
        "what a stream reads is not resolved",
    ),
}


@pytest.mark.parametrize(("body", "problem"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_end_of_a_stream_that_is_not_resolved_is_reported(body: str, problem: str) -> None:
    assert problem in [what for _, what in _program(_JAVA.replace("BODY", body).replace("NOTE", "")).job.problems]


def test_stream_as_a_table_is_a_query_of_its_topic() -> None:
    body = (
        "StreamTableEnvironment t = StreamTableEnvironment.create(env);"
        't.createTemporaryView("v", orders); t.executeSql("INSERT INTO o SELECT id FROM v");'
    )
    statements = [text for text, _ in _program(_JAVA.replace("BODY", body).replace("NOTE", "")).statements.listed]

    assert statements == [
        "CREATE TEMPORARY TABLE stream_0_orders (`id` STRING, `total` STRING, `value` STRING)"
        " WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json')",
        "CREATE TEMPORARY VIEW v AS SELECT `id` AS `id`, `total` AS `total` FROM stream_0_orders",
        "INSERT INTO o SELECT id FROM v",
    ]


_PYTHON = """
import json
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource, KafkaSink, KafkaRecordSerializationSchema
def slim(text):
    event = json.loads(text)
    return json.dumps({"u": event["user"]["id"], "s": event["ms"] / 1000})
env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_topics("views").build()
serializer = KafkaRecordSerializationSchema.builder().set_topic("slim").build()
env.from_source(source, None, "views").map(slim).sink_to(KafkaSink.builder().set_record_serializer(serializer).build())
"""


def test_functions_of_streams_in_python_are_followed() -> None:
    assert _written(_program(_PYTHON, "job.py")) == {"slim": {"u": ["views.user.id"], "s": ["views.ms"]}}


_BEAM = """
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.gcp.bigquery.BigQueryIO;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.transforms.*;
public class Job {
  static class Tick { String symbol; double price; }
  static class ToRow extends DoFn<String, TableRow> {
    @ProcessElement public void processElement(ProcessContext c) {
      Tick t = new Gson().fromJson(c.element(), Tick.class);
      c.output(new TableRow().set("s", t.symbol).set("p", t.price));
    }
  }
  public static void main(String[] args) {
    Pipeline p = Pipeline.create();
    p.apply("read", KafkaIO.<String, String>read().withTopic("ticks").withoutMetadata()).apply(Values.create())
        .apply("rows", ParDo.of(new ToRow())).apply(BigQueryIO.writeTableRows().to("p:d.t"));
  }
}
"""


def test_functions_of_beam_in_java_are_followed() -> None:
    assert _written(_program(_BEAM)) == {"bigquery p.d.t": {"s": ["ticks.symbol"], "p": ["ticks.price"]}}


def test_record_of_kafka_has_its_key_and_value() -> None:
    text = _BEAM.replace("String, TableRow>", "KafkaRecord<String, String>, TableRow>")
    text = text.replace("c.element()", "c.element().getKV().getValue()").replace(".withoutMetadata()", "")

    written = _written(_program(text.replace(".apply(Values.create())", "")))

    assert written == {"bigquery p.d.t": {"s": ["ticks.symbol"], "p": ["ticks.price"]}}


def test_function_of_a_stream_that_is_not_followed_is_reported() -> None:
    body = 'orders.map(other.Functions.make()).sinkTo(FileSink.forRowFormat(new Path("/o"), null).build());'
    body += 'lines.flatMap(new Job.Split()).sinkTo(FileSink.forRowFormat(new Path("/p"), null).build());'
    problems = [what for _, what in _program(_JAVA.replace("BODY", body).replace("NOTE", "")).job.problems]

    assert "what a function makes of the elements of a stream is not resolved" in problems
