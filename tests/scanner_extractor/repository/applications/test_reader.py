"""Applications: the topics that settings and source code name, by framework and language, and the names of programs."""

from __future__ import annotations

import textwrap

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.applications.reader import (
    MOST_UNITS,
    ApplicationsReading,
    is_application_file,
    read_applications,
)
from scanner_model.names import SourceId

JAVA = "import org.apache.kafka.clients.producer.*;\nimport org.apache.kafka.clients.consumer.*;\n"
STREAMS = "import org.apache.kafka.streams.StreamsBuilder;\n"
SPRING = "import org.springframework.kafka.core.KafkaTemplate;\n"
POM = "<project><parent><artifactId>all</artifactId></parent><artifactId>shop</artifactId>kafka</project>"


def read(files: dict[str, str]) -> ApplicationsReading:
    return read_applications({path: textwrap.dedent(text) for path, text in files.items()}, SourceId("repository"))


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows as `job: origin > target`."""
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in read(files).flows}


def ends(files: dict[str, str]) -> set[str]:
    """Return the flows without their jobs."""
    return {flow.partition(": ")[2] for flow in flows(files)}


CLIENTS = {
    "event source of a function": (
        "stack.ts",
        'import { ManagedKafkaEventSource } from "aws-cdk-lib/aws-lambda-event-sources";\n'
        'fn.addEventSource(new ManagedKafkaEventSource({ clusterArn: a, topic: "t", batchSize: 1 }));',
        {"t > "},
    ),
    "java producer": ("A.java", JAVA + 'class A { void f() { p.send(new ProducerRecord<>("t", k, v)); } }', {" > t"}),
    "java consumer": ("A.java", JAVA + 'class A { void f() { c.subscribe(List.of("a", "b")); } }', {"a > ", "b > "}),
    "java partitions": (
        "A.java",
        JAVA + 'class A { void f() { c.assign(Arrays.asList(new TopicPartition("a", 0))); } }',
        {"a > "},
    ),
    "kotlin": (
        "A.kt",
        'import org.apache.kafka.clients.producer.*\nval T = "t"\nfun f() { p.send(ProducerRecord(T, k)) }',
        {" > t"},
    ),
    "kotlin settings are no topics": (
        "A.kt",
        "import org.apache.kafka.streams.StreamsBuilder\n"
        'val m = mapOf(ConsumerConfig.GROUP_ID_CONFIG to "g", "k" to "v")\nfun f() { b.stream<A, B>("a").to("b") }',
        {"a > b"},
    ),
    "scala": (
        "A.scala",
        'import org.apache.kafka.streams.scala._\nobject A { b.stream[A, B]("a").mapValues(_.x).to("b") }',
        {"a > b"},
    ),
    "confluent-kafka": (
        "a.py",
        'from confluent_kafka import Producer, Consumer\np.produce("t", value=v)\nc.subscribe(["a"])',
        {" > t", "a > "},
    ),
    "kafka-python": (
        "a.py",
        'from kafka import *\nproducer.send("t", v)\nc = KafkaConsumer("a", "b", group_id="g")',
        {" > t", "a > ", "b > "},
    ),
    "aiokafka": (
        "a.py",
        'import aiokafka\nasync def f():\n    await producer.send_and_wait(topic="t")\n    AIOKafkaConsumer("a")',
        {" > t", "a > "},
    ),
    "quix": (
        "a.py",
        "import os\nfrom quixstreaming import QuixStreamingClient\nclient = QuixStreamingClient()\n"
        'i = client.open_input_topic("a", "group")\no = client.open_output_topic(os.environ.get("OUT", "b"))\n',
        {"a > ", " > b"},
    ),
    "quix by id": (
        "a.py",
        "from quixstreams import KafkaStreamingClient\nclient = KafkaStreamingClient('k:9092')\n"
        "consumer = client.get_topic_consumer(topic='a')\nproducer = client.get_topic_producer(topic_id_or_name='b')\n",
        {"a > ", " > b"},
    ),
    "faust": (
        "a.py",
        """
        import faust
        app = faust.App("shop")
        orders = app.topic("orders")
        paid = app.topic("paid")
        @app.agent(orders)
        async def handle(stream):
            async for order in stream:
                await app.send(paid, order)
        """,
        {"orders > paid"},
    ),
    "faust with sinks": (
        "a.py",
        """
        import faust
        app = faust.App("shop")
        orders = app.topic("orders")
        bills = app.topic("bills")
        def show(value):
            print(value)
        @app.agent(bills)
        async def pay(stream):
            async for bill in stream:
                print(bill)
        @app.agent(orders, sink=[bills, app.topic("audit"), show])
        async def invoice(stream):
            async for order in stream:
                yield order
        @app.agent(app.topic("refunds"), sink=[pay])
        async def refund(stream):
            async for each in stream:
                yield each
        pay.add_sink(app.topic("paid"))
        """,
        {"bills > ", "orders > bills", "orders > audit", "refunds > bills", " > paid"},
    ),
    "sarama": (
        "a.go",
        """
        package main
        import "github.com/IBM/sarama"
        const topic = "t"
        func f() {
            p.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: v})
            group.Consume(ctx, []string{"a", "b"}, h)
        }
        """,
        {" > t", "a > ", "b > "},
    ),
    "kafka-go": (
        "a.go",
        """
        package main
        import "github.com/segmentio/kafka-go"
        func f() {
            w := &kafka.Writer{Addr: x, Topic: "t"}
            r := kafka.NewReader(kafka.ReaderConfig{Topic: "a"})
        }
        """,
        {" > t", "a > "},
    ),
    "confluent-kafka-go": (
        "a.go",
        """
        package main
        import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
        func f() {
            topic := "t"
            p.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topic}}, nil)
            c.SubscribeTopics([]string{"a"}, nil)
        }
        """,
        {" > t", "a > "},
    ),
    "franz-go": (
        "a.go",
        """
        package main
        import "github.com/twmb/franz-go/pkg/kgo"
        func f() {
            kgo.NewClient(kgo.ConsumeTopics("a", "b"))
            c.Produce(ctx, &kgo.Record{Topic: "t"}, nil)
        }
        """,
        {" > t", "a > ", "b > "},
    ),
    "kafkajs": (
        "a.js",
        """
        const { Kafka } = require('kafkajs');
        const TOPIC = 't';
        await producer.send({ topic: TOPIC, messages: [{ value }] });
        await consumer.subscribe({ topics: ['a', `${TOPIC}-b`] });
        """,
        {" > t", "a > ", "t-b > "},
    ),
    "typescript": (
        "a.ts",
        """
        import { Kafka } from 'kafkajs';
        enum Topics { Orders = 'orders' }
        class A {
          private readonly topic: string = 'paid';
          async f() { await this.producer.send({ topic: this.topic, messages: [] }); }
          async g() { await this.consumer.subscribe({ topic: Topics.Orders }); }
        }
        """,
        {" > paid", "orders > "},
    ),
    "nestjs": (
        "a.ts",
        """
        import { EventPattern } from '@nestjs/microservices';
        class A {
          constructor(private kafkaClient: ClientKafka) {}
          @EventPattern('orders')
          async handle(message) { this.kafkaClient.emit('paid', message); }
        }
        """,
        {"orders > paid"},
    ),
    "nestjs, controllers by themselves": (
        "a.ts",
        """
        import { EventPattern, MessagePattern } from '@nestjs/microservices';
        class A {
          @EventPattern('orders')
          handle(message) {}
          @MessagePattern({ cmd: 'sum' })
          sum(message) {}
        }
        const options = { transport: Transport.KAFKA };
        """,
        {"orders > "},
    ),
    "node-rdkafka": (
        "a.js",
        "const Kafka = require('node-rdkafka');\nproducer.produce('t', null, m);\nconsumer.subscribe(['a']);",
        {" > t", "a > "},
    ),
    "dotnet": (
        "A.cs",
        """
        using Confluent.Kafka;
        class A {
          const string Topic = "t";
          async Task F() { await p.ProduceAsync(Topic, new Message<Null, string> { Value = "x" }); c.Subscribe("a"); }
        }
        """,
        {" > t", "a > "},
    ),
    "dafda": (
        "A.cs",
        """
        using Dafda.Configuration;
        class A { void F() {
          services.AddConsumer(options => options.RegisterMessageHandler<Order, Handler>("a", "order-placed"));
          services.AddProducerFor<P>(options => options.Register<Order>("t", "order-placed", x => x.Id));
          options.ForTopic("own").RegisterMessageHandler<Order, Handler>("placed").Register<Order>("b", x => x.Id);
        } }
        """,
        {" > t", "a > "},
    ),
    "streamiz": (
        "A.cs",
        """
        using Streamiz.Kafka.Net;
        class A { void F() { builder.Stream<string, string>("a").MapValues(v => v).To("b"); } }
        """,
        {"a > b"},
    ),
    "wolverine": (
        "A.cs",
        """
        using Wolverine.Kafka;
        class A { void F() {
          opts.ListenToKafkaTopic("a").ProcessInline();
          opts.PublishMessage<Order>().ToKafkaTopic("t");
        } }
        """,
        {" > t", "a > "},
    ),
    "flink": (
        "A.java",
        """
        import org.apache.flink.connector.kafka.source.KafkaSource;
        class A { void f() {
          KafkaSource<X> source = KafkaSource.<X>builder().setTopics("a").build();
          KafkaSink<X> sink = KafkaSink.<X>builder().setRecordSerializer(
              KafkaRecordSerializationSchema.builder().setTopic("b").build()).build();
          env.fromSource(source, w, "x").map(g).sinkTo(sink);
        } }
        """,
        {"a > b"},
    ),
    "spark": (
        "a.py",
        """
        df = spark.readStream.format("kafka").option("subscribe", "a,b").load()
        out = df.selectExpr("value")
        out.writeStream.format("kafka").option("topic", "t").start()
        """,
        {"a > t", "b > t"},
    ),
    "beam with several topics": (
        "A.java",
        """
        import org.apache.beam.sdk.io.kafka.KafkaIO;
        class A { void f() {
          p.apply(KafkaIO.<String, String>read().withTopics(List.of("a", "b")).withBootstrapServers("k"))
              .apply(KafkaIO.<String, String>write().withTopic("t"));
        } }
        """,
        {"a > t", "b > t"},
    ),
    "camel": ("A.java", 'class A { void f() { from("kafka:a?brokers=x").to("kafka:b"); } }', {"a > b"}),
    "command": (
        "a.py",
        't = "t"  # of the subprocess\nsubprocess.run(["confluent", "kafka", "topic", "produce", t, "-v"])',
        {" > t"},
    ),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_library_names_what_it_reads_and_writes(client: str):
    path, text, expected = CLIENTS[client]
    assert ends({path: text}) == expected


TOPOLOGIES = {
    "chain": ('b.stream("a").filter(p).to("b");', {"a > b"}),
    "join": ('KStream<A, B> x = b.stream("a"); var y = b.table("c"); x.join(y, f).to("b");', {"a > b", "c > b"}),
    "two topologies": ('b.stream("a").to("b"); b.stream("c").to("d");', {"a > b", "c > d"}),
    "branch": (
        'b.stream("a").split().branch(p, Branched.withConsumer(s -> s.to("b"))); b.stream("x").to("y");',
        {"a > b", "x > y"},
    ),
    "helper": ('g(b.stream("a")); } void g(KStream<A, B> s) { s.map(f).to("b");', {"a > b"}),
    "returned": ('s().to("b"); } KStream<A, B> s() { return b.stream("a");', {"a > b"}),
    "through": ('b.stream("a").through("m").to("b");', {"a > m", "m > b"}),
    "several": ('b.stream(Arrays.asList("a", "c")).to("b");', {"a > b", "c > b"}),
    "processors": ('t.addSource("S", "a"); t.addProcessor("P", P::new, "S"); t.addSink("K", "b", "P");', {"a > b"}),
    "processors with a way to reset": (
        't.addSource(Topology.AutoOffsetReset.LATEST, "S", new X(), d, d, "a"); t.addSink("K", "b", "P");',
        {"a > b"},
    ),
    "several sources of processors": ('t.addSource("S", "a", "c"); t.addSink("K", "b", "P");', {"a > b", "c > b"}),
    "global store of processors": (
        't.addGlobalStore(s, "S", d, d, "c", "P", P::new); b.stream("a").process(p).to("b");',
        {"a > b", "c > b"},
    ),
    "global store": ('b.addGlobalStore(s, "c", m, P::new); b.stream("a").process(p).to("b");', {"a > b", "c > b"}),
    "store": ('b.globalTable("c", m); b.stream("a").process(p).to("b");', {"a > b", "c > b"}),
    "not decided": ('b.stream("a").to((k, v, c) -> v.topic());', {"a > "}),
    "collections are no streams": ('b.stream("a").to("b"); names.stream().map(f);', {"a > b"}),
}


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_topology_passes_on_what_its_values_show(topology: str):
    body, expected = TOPOLOGIES[topology]
    assert ends({"A.java": f"{STREAMS}class A {{ void f(StreamsBuilder b, Topology t) {{ {body} }} }}"}) == expected


@pytest.mark.parametrize(
    ("made", "expected", "unresolved"),
    [
        ('var r = Records.jsonRecord("orders", k, v); template.send(r);', {" > orders"}, []),
        ('template.send(jsonRecord("orders", k, v));', {" > orders"}, []),
        ("template.send(jsonRecord(name, k, v));", set(), ["A.java"]),
        ('template.send(jsonOf("orders", k, v));', set(), []),
    ],
)
def test_a_record_that_a_library_makes_has_the_topic_that_it_is_given(
    made: str, expected: set[str], unresolved: list[str]
):
    java = (
        "import org.springframework.kafka.core.KafkaTemplate;\n"
        f"class A {{ KafkaTemplate<String, String> template; void f(Order k, Order v) {{ {made} }} }}\n"
    )
    assert ends({"A.java": java}) == expected
    assert [path for path, _ in read_applications({"A.java": java}, SourceId("repository")).unresolved][
        :1
    ] == unresolved


VALUES = {
    "constant of another class": ("p.send(new ProducerRecord<>(Topics.ORDERS, v));", {" > orders"}),
    "imported constant": ("p.send(new ProducerRecord<>(ORDERS, v));", {" > orders"}),
    "concatenation": ('p.send(new ProducerRecord<>(Topics.ORDERS + "-dlq", v));', {" > orders-dlq"}),
    "format": ('p.send(new ProducerRecord<>(String.format("%s.v1", Topics.ORDERS), v));', {" > orders.v1"}),
    "both branches": ('p.send(new ProducerRecord<>(x ? "a" : "b", v));', {" > a", " > b"}),
    "enumeration": ("p.send(new ProducerRecord<>(Kinds.PAID.topic(), v));", {" > paid"}),
    "variable with a default": ('p.send(new ProducerRecord<>(System.getenv().getOrDefault("T", "d"), v));', {" > d"}),
    "variable without": ('p.send(new ProducerRecord<>(System.getenv("T"), v));', set()),
    "argument of the caller": ('g("a"); } void g(String t) { p.send(new ProducerRecord<>(t, v));', {" > a"}),
    "setting": ('p.send(new ProducerRecord<>(props.getProperty("my.topic"), v));', {" > from-file"}),
    "no topic": ('p.send(new ProducerRecord<>("two words", v));', set()),
    "itself": ("String t = t; p.send(new ProducerRecord<>(t, v));", set()),
}


@pytest.mark.parametrize("value", VALUES)
def test_topics_are_resolved_within_the_module(value: str):
    body, expected = VALUES[value]
    files = {
        "pom.xml": POM,
        "src/main/java/A.java": JAVA + f"import static x.Topics.ORDERS;\nclass A {{ void f() {{ {body} }} }}",
        "src/main/java/Topics.java": 'class Topics { public static final String ORDERS = "orders"; }',
        "src/main/java/Kinds.java": """
            enum Kinds {
              PAID("paid"), SENT("sent");
              private final String topic;
              Kinds(String topic) { this.topic = topic; }
              String topic() { return topic; }
            }""",
        "src/main/resources/app.properties": "my.topic=from-file",
    }
    assert ends(files) == expected


def test_the_deployment_decides_what_the_environment_names():
    files = {
        "reader/pom.xml": POM.replace("shop", "reader"),
        "reader/src/main/java/Config.java": """
            import org.apache.kafka.common.X;
            class Config {
              private final String topic;
              Config(String topic) { this.topic = topic; }
              static Config fromEnv() { String topic = System.getenv("TOPIC"); return new Config(topic); }
              String getTopic() { return topic; }
            }""",
        "reader/src/main/java/Main.java": JAVA
        + """
            class Main { public static void main(String[] args) {
              Config config = Config.fromEnv();
              consumer.subscribe(Collections.singletonList(config.getTopic()));
            } }""",
        "writer/main.go": """
            package main
            import "github.com/segmentio/kafka-go"
            func env(key, fallback string) string {
              if v := os.Getenv(key); v != "" { return v }
              return fallback
            }
            func main() { w := kafka.Writer{Topic: env("OUT", "default")} }
            """,
        "compose.yaml": """
            services:
              the-writer:
                build: ./writer
                environment:
                  - OUT=orders
            """,
        "deploy.yaml": """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: the-reader}
            spec: {template: {spec: {containers: [
              {name: c, image: "registry/reader:1", env: [{name: TOPIC, value: orders}]}]}}}
            """,
    }
    assert flows(files) == {"the-writer:  > orders", "the-reader: orders > "}


SPRING_SETTINGS = {
    "functions": (
        "spring.cloud.stream.bindings.process-in-0.destination=a\n"
        "spring.cloud.stream.bindings.process-out-0.destination=b\n"
        "spring.cloud.stream.bindings.other-in-0.destination=c",
        {"a > b", "c > "},
    ),
    "alias": (
        "spring.cloud.stream.function.bindings.process-in-0=orders\n"
        "spring.cloud.stream.bindings.orders.destination=${ORDERS:a}",
        {"a > "},
    ),
    "another broker": (
        "spring.cloud.stream.bindings.x-in-0.destination=a\nspring.cloud.stream.bindings.x-in-0.binder=rabbit1",
        set(),
    ),
    "producer and consumer": (
        "spring.cloud.stream.bindings.one.destination=a\nspring.cloud.stream.bindings.one.group=g\n"
        "spring.cloud.stream.bindings.two.destination=b\n"
        "spring.cloud.stream.kafka.bindings.two.producer.sync=true",
        {"a > ", " > b"},
    ),
    "quarkus": (
        "mp.messaging.incoming.in.connector=smallrye-kafka\nmp.messaging.incoming.in.topic=a\n"
        "mp.messaging.outgoing.out.connector=smallrye-kafka\n%dev.mp.messaging.outgoing.out.topic=dev",
        {"a > ", " > dev"},
    ),
    "quarkus in memory": ("mp.messaging.incoming.in.connector=smallrye-amqp", set()),
    "default topic": ("spring.kafka.template.default-topic=a", {" > a"}),
}


@pytest.mark.parametrize("case", SPRING_SETTINGS)
def test_settings_of_frameworks_name_topics(case: str):
    text, expected = SPRING_SETTINGS[case]
    files = {"pom.xml": POM, "src/main/resources/application.properties": text}
    assert ends(files) == expected
    assert all(flow.startswith("shop: ") for flow in flows(files))


def test_settings_in_yaml_have_profiles_and_the_name_of_the_service():
    text = """
        spring:
          application: {name: billing}
          cloud:
            stream:
              bindings:
                pay-in-0: {destination: "orders,returns"}
                pay-out-0: {destination: "${app.out}"}
        app: {out: paid}
        ---
        spring:
          config: {activate: {on-profile: test}}
        app: {out: test-paid}
    """
    assert flows({"pom.xml": POM, "src/main/resources/application.yml": text}) == {
        "billing: orders > paid",
        "billing: returns > paid",
    }


def test_settings_of_a_framework_that_stand_behind_others_are_read():
    """Between `cloud` and `stream`, a file may name the functions."""
    text = """
        spring:
          cloud:
            function: {definition: pay}
            stream: {bindings: {pay-in-0: {destination: orders}, pay-out-0: {destination: paid}}}
    """
    assert is_application_file("src/main/resources/application.yml", text)
    assert not is_application_file("application.yml", "spring: {cloud: {bindings: 1}}")
    assert ends({"pom.xml": POM, "src/main/resources/application.yml": text}) == {"orders > paid"}


LISTENERS = {
    "constant and placeholder": (
        '@KafkaListener(topics = {"${app.in:a}", T}, groupId = "g") void f(X x) { }',
        {"a > ", "t > "},
    ),
    "pass on": ('@KafkaListener(topics = "a") void f(X x) { template.send("b", x); }', {"a > b"}),
    "send to": ('@KafkaListener(topics = "a") @SendTo("b") X f(X x) { return x; }', {"a > b"}),
    "setting": ("@KafkaListener(topics = \"#{'${app.list}'.split(',')}\") void f(X x) { }", {"l1 > ", "l2 > "}),
    "field": ('@Value("${app.out}") private String out; void f() { template.send(out, x); }', {" > o"}),
    "header": ('void f() { b.setHeader(KafkaHeaders.TOPIC, "h"); }', {" > h"}),
    "partitions": (
        '@KafkaListener(topicPartitions = @TopicPartition(topic = "a", partitions = "0")) void f() { }',
        {"a > "},
    ),
    "bridge": ('StreamBridge streamBridge; void f() { streamBridge.send("out-0", x); }', {" > bound"}),
}


@pytest.mark.parametrize("case", LISTENERS)
def test_spring_kafka_in_code(case: str):
    body, expected = LISTENERS[case]
    files = {
        "pom.xml": POM,
        "src/main/java/A.java": SPRING
        + f'class A {{ static final String T = "t"; KafkaTemplate<A, B> template; {body} }}',
        "src/main/resources/application.properties": "app.out=o\napp.list=l1,l2\n"
        + ("spring.cloud.stream.bindings.out-0.destination=bound" if case == "bridge" else ""),
    }
    assert ends(files) - {"bound > "} == expected


def test_smallrye_passes_on_what_a_method_takes_and_gives():
    files = {
        "pom.xml": POM,
        "src/main/java/A.java": """
            import org.eclipse.microprofile.reactive.messaging.*;
            class A { @Incoming("in") @Outgoing("out") X f(X x) { return x; } @Channel("more") Emitter<X> e; }""",
        "src/main/resources/application.properties": "mp.messaging.incoming.in.topic=a\n"
        "mp.messaging.incoming.in.connector=smallrye-kafka\nmp.messaging.outgoing.out.connector=smallrye-kafka",
    }
    assert flows(files) == {"shop: a > out", "shop:  > more"}


@pytest.mark.parametrize(
    ("listener", "constant", "expected"),
    [
        ('@Incoming("refunds") void f(Refund one) { }', "mails", {"refunds > "}),
        ("@Incoming(Names.ONE) void f(Refund one) { }", "refunds", {"refunds > "}),
        ("@Incoming(Names.ONE) void f(Bill one) { }", "bills", {"bills > "}),
    ],
)
def test_a_channel_of_the_settings_that_no_code_has_is_not_used(listener: str, constant: str, expected: set[str]):
    """SmallRye connects a channel to what consumes or feeds it; without any, it only warns."""
    imported = "import org.eclipse.microprofile.reactive.messaging.*;"
    files = {
        "ledger/pom.xml": pom("ledger", "names", "quarkus-messaging-kafka"),
        "ledger/src/main/java/Ledger.java": f"{imported} class Ledger {{ {listener} }}",
        "names/pom.xml": pom("names"),
        "names/src/main/java/Names.java": f'interface Names {{ String ONE = "{constant}"; }}',
        "other/pom.xml": pom("other"),
        "other/src/main/java/Other.java": 'class Other { String[] all = { "bills", "refunds" }; }',
        "ledger/src/main/resources/application.properties": "".join(
            f"mp.messaging.{side}.{name}.connector=smallrye-kafka\n"
            for side, name in (("incoming", "bills"), ("incoming", "refunds"), ("outgoing", "audits"))
        ),
    }

    assert ends(files) == expected


def test_channels_of_code_that_is_elsewhere_are_used():
    """Nothing here uses the library of channels: what does is built elsewhere."""
    files = {
        "pom.xml": pom("ledger", "house-messaging"),
        "src/main/java/Ledger.java": "import com.example.house.Handler; class Ledger implements Handler { }",
        "src/main/resources/application.properties": "mp.messaging.incoming.bills.connector=smallrye-kafka\n",
    }

    assert ends(files) == {"bills > "}


def test_a_field_that_reads_passes_nothing_on():
    text = """
        import org.eclipse.microprofile.reactive.messaging.*;
        class A { @Channel("in") Multi<X> in; @Channel("out") Emitter<X> out; }
    """
    assert flows({"pom.xml": POM, "src/main/java/A.java": text}) == {"shop: in > ", "shop:  > out"}


def test_a_channel_between_methods_of_a_program_is_no_topic():
    text = """
        import org.eclipse.microprofile.reactive.messaging.*;
        class A { @Incoming("a") @Outgoing("inner") X f(X x) { return x; } @Incoming("inner") void g(X x) { } }
    """
    assert flows({"pom.xml": POM, "src/main/java/A.java": text}) == {"shop: a > "}


def test_a_listener_passes_on_through_the_functions_that_it_calls():
    files = {
        "pom.xml": POM,
        "A.java": SPRING
        + """
            class A {
              @Autowired Service service;
              @KafkaListener(topics = "a") void on(X x) { if (x.ok()) { service.handle(x); } }
              @KafkaListener(topics = "c") void other(X x) { }
            }""",
        "Service.java": SPRING
        + """
            class Service {
              KafkaTemplate<A, B> template;
              void handle(X x) { template.send("b", x); }
              void unrelated(X x) { template.send("d", x); }
            }""",
    }
    assert ends(files) == {"a > b", "c > ", " > d"}


def test_a_constant_of_another_program_is_not_used_by_that_program():
    main = "static void main(String[] a) {} static final String T = "
    files = {
        "pom.xml": POM,
        "A.java": JAVA + f'class A {{ {main} "t"; }}',
        "B.java": JAVA + f'class B {{ {main} "u"; void f() {{ c.subscribe(A.T); }} }}',
    }
    assert flows(files) == {"B: t > "}


def test_functions_of_one_name_in_other_languages_and_modules_are_not_the_same():
    files = {
        "x/go.mod": "module x",
        "x/main.go": 'package main\nimport "franz-go"\nfunc produce(t string) { r := &kgo.Record{Topic: t} }',
        "y/run.py": 'import kafka\nproduce("orders")',
    }
    assert flows(files) == set()


def test_another_broker_of_spring_cloud_stream_is_not_kafka():
    files = {
        "pom.xml": POM.replace("kafka", "<artifactId>spring-cloud-stream-binder-rabbit</artifactId>"),
        "src/main/resources/application.properties": "spring.cloud.stream.bindings.f-in-0.destination=a",
    }
    assert flows(files) == set()


def test_micronaut_clients_write_and_listeners_read():
    text = """
        import io.micronaut.configuration.kafka.annotation.*;
        @KafkaClient interface P { @Topic("b") void send(String x); }
        @KafkaListener class C { @Topic("a") void receive(String x) { } }
    """
    assert ends({"src/A.java": text}) == {" > b", "a > "}


def test_a_loop_over_a_consumer_passes_its_records_on():
    text = """
        from kafka import KafkaConsumer, KafkaProducer
        consumer = KafkaConsumer("a")
        other = KafkaConsumer("c")
        producer = KafkaProducer()
        for message in consumer:
            producer.send("b", message.value)
        producer.send("end", b"")
    """
    assert ends({"x.py": text}) == {"a > b", "c > ", " > end"}


def test_a_callback_of_a_consumer_passes_its_records_on():
    text = """
        const { Kafka } = require('kafkajs');
        await consumer.subscribe({ topic: 'a' });
        await consumer.run({ eachMessage: async ({ message }) => {
          await producer.send({ topic: 'b', messages: [message] });
        } });
        await producer.send({ topic: 'c', messages: [] });
    """
    assert ends({"x.js": text}) == {"a > b", " > c"}


PROGRAMS = {
    "one main of a module": (
        {"pom.xml": POM, "A.java": JAVA + 'class A { static void main(String[] a) { c.subscribe("t"); } }'},
        {"shop"},
    ),
    "several mains": (
        {
            "pom.xml": POM,
            "A.java": JAVA + 'class A { public static void main(String[] a) { c.subscribe("t"); } }',
            "B.java": JAVA + 'class B { public static void main(String[] a) { c.subscribe("t"); } }',
        },
        {"A", "B"},
    ),
    "application id": (
        {
            "pom.xml": POM,
            "A.java": STREAMS
            + 'class A { void f() { p.put(StreamsConfig.APPLICATION_ID_CONFIG, "ids"); b.stream("t"); } }',
        },
        {"ids"},
    ),
    "application id in a map": (
        {
            "pom.xml": POM,
            "A.java": STREAMS
            + 'class A { void f() { p.putAll(Map.of("a", "b", APPLICATION_ID_CONFIG, "ids")); b.stream("t"); } }',
        },
        {"ids"},
    ),
    "application id in the settings of a framework": (
        {
            "pom.xml": POM,
            "A.java": STREAMS + 'class A { void f() { b.stream("t"); } }',
            "src/main/resources/application.yml": "kafka: {streams: {default: {application: {id: ids}}}}\n",
        },
        {"ids"},
    ),
    "script": ({"tools/load_data.py": 'from kafka import *\nproducer.send("t", x)'}, {"load_data"}),
    "main script": ({"loader/main.py": 'from kafka import *\nproducer.send("t", x)'}, {"loader"}),
    "package.json": (
        {"s/package.json": '{"name": "@org/shop"}', "s/index.js": "require('kafkajs'); c.subscribe({topic: 't'})"},
        {"shop"},
    ),
    "library of a script": (
        {
            "run_it.py": "from lib import send_all\nsend_all()",
            "lib.py": 'from kafka import *\ndef send_all():\n    producer.send("t", x)',
        },
        {"run_it"},
    ),
    "command of a service": (
        {
            "compose.yml": "services: {one: {build: ., command: python first.py},\n"
            "two: {build: ., command: [python, second.py]}}",
            "first.py": 'from kafka import *\nproducer.send("t", x)',
            "second.py": 'from kafka import *\nproducer.send("t", x)',
        },
        {"one", "two"},
    ),
    "go commands": (
        {
            "go.mod": "module example.com/shop",
            "cmd/api/main.go": 'package main\nimport "kafka-go"\nfunc main() { w := kafka.Writer{Topic: "t"} }',
            "cmd/worker/main.go": 'package main\nimport "kafka-go"\nfunc main() { w := kafka.Writer{Topic: "t"} }',
        },
        {"api", "worker"},
    ),
    "project of .NET": (
        {"Shop/Shop.Api.csproj": "<Project/>", "Shop/Program.cs": 'using Confluent.Kafka;\np.ProduceAsync("t", m);'},
        {"Shop.Api"},
    ),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_program_is_called_as_its_deployment_or_build_file_calls_it(case: str):
    files, expected = PROGRAMS[case]
    assert {flow.job for flow in read(files).flows} == expected


def test_the_program_of_a_shared_class_is_that_of_its_caller():
    files = {
        "shared/build.gradle": "",
        "shared/Base.kt": """
            import org.apache.kafka.clients.consumer.KafkaConsumer
            abstract class Base { fun start(topics: List<String>) { kafkaConsumer.subscribe(topics) } }
            """,
        "app/settings.gradle": "rootProject.name = 'app-one'",
        "app/Main.kt": """
            class Mine : Base()
            fun main() { val consumer = Mine(); consumer.start(listOf("orders")) }
            """,
    }
    assert flows(files) == {"app-one: orders > "}


def test_topics_that_programs_create():
    files = {
        "A.java": SPRING
        + """class A {
            @Bean NewTopic one() { return new NewTopic("a", 3, (short) 1); }
            @Bean NewTopic two() { return TopicBuilder.name("b").partitions(3).build(); } }""",
        "b.py": 'from confluent_kafka.admin import NewTopic\nadmin.create_topics([NewTopic("c", 1)])',
        "c.js": "require('kafkajs'); admin.createTopics({ topics: [{ topic: 'd' }] })",
    }
    assert [name for name, _ in read(files).created] == ["a", "b", "c", "d"]


def test_what_is_not_known_is_said_and_no_flow():
    reading = read({"a.py": "from kafka import *\ndef f(topic):\n    producer.send(topic, x)\n"})
    assert not reading.flows
    ((file, reason),) = reading.unresolved
    assert file == "a.py"
    assert "line 3" in reason


def test_tests_are_not_read():
    text = JAVA + 'class A { void f() { c.subscribe("t"); } }'
    assert not flows(
        {"src/test/java/A.java": text, "AppTest.java": text, "tests/a.py": 'import kafka\nc.subscribe(["t"])'}
    )


def test_a_generator_of_test_data_writes_its_topics():
    files = {
        "gen.json": '{"connections": {}, "generators": [{"topic": "a"},'
        ' {"_gen": "loadJsonFile", "file": "/x/b.json"}]}',
        "generators/b.json": '{"topic": "b"}',
    }
    assert flows(files) == {"shadowtraffic:  > a", "shadowtraffic:  > b"}


@pytest.mark.parametrize("end", ["java", "kt", "scala", "py", "go", "js", "ts", "cs"])
def test_a_hostile_source_file_ends(end: str):
    kafka = "kafka StreamsBuilder KafkaTemplate "
    for body in (
        "(" * 20_000,
        "a.b(" * 5_000,
        "f(" * 3_000 + ")" * 3_000,
        "{" * 20_000,
        "x = x + x;" * 3_000,
        '"' * 999,
    ):
        read({f"a.{end}": kafka + body})


@examples(40)
@given(st.sampled_from(["java", "kt", "scala", "py", "go", "ts", "cs"]), st.text(max_size=120))
def test_no_source_raises(end: str, text: str):
    read({f"a.{end}": "kafka " + text, "application.yml": text, "application.properties": text, "compose.yml": text})


TOPIC_SETTINGS = {
    "pom.xml": POM,
    "topics.properties": "topics.paid.name=paid\ntopics.failed.name=failed\n",
    "Topic.java": "abstract class Named { private String name; }",
    "Paid.java": '@ConfigurationProperties("topics.paid") class Paid extends Named {}',
    "Failed.java": '@ConfigurationProperties("topics.failed") class Failed extends Named {}',
    "Store.java": 'class Store { private String name = "funds"; }',
}


def test_settings_of_a_class_are_found_in_the_one_that_it_extends():
    sends = SPRING + "class A { private final Paid paid; void f() { kafkaTemplate.send(paid.getName(), order); } }"
    assert ends({**TOPIC_SETTINGS, "A.java": sends}) == {" > paid"}


def test_a_parameter_is_what_callers_give_for_it():
    creates = (
        "import org.apache.kafka.clients.admin.NewTopic; class A { NewTopic a(Paid p) { return make(p); }"
        " NewTopic b(Failed p) { return make(p); }"
        " NewTopic make(Named n) { return TopicBuilder.name(n.getName()).build(); } }"
    )
    reading = read({**TOPIC_SETTINGS, "A.java": creates})
    assert [topic for topic, _ in reading.created] == ["failed", "paid"]


def test_a_name_that_several_build_files_have_names_no_program():
    build = '[project]\nname = "app"\n'
    code = 'import confluent_kafka\np.produce("t", v)\n'
    files = {f"{part}/{name}": text for part in "ab" for name, text in (("pyproject.toml", build), ("main.py", code))}
    assert flows(files) == {"a:  > t", "b:  > t"}


def test_tables_of_the_table_api_are_the_topics_of_the_statements_that_create_them():
    """A table of another connector is no topic; a name that no statement creates is no table."""
    source = "CREATE TABLE pay (id INT) WITH ('connector' = 'kafka', 'topic' = 'payments', 'format' = 'json')"
    sink = "CREATE TABLE es (id INT) WITH ('connector' = 'elasticsearch-7', 'index' = 'i')"
    python = f'env.execute_sql("{source}")\nenv.execute_sql("{sink}")\nenv.from_path("pay").execute_insert("es")\n'
    assert ends({"job.py": python + 'env.from_path("other")\n'}) == {"payments > "}
    java = f'class A {{ void f() {{ t.executeSql("{source}"); t.from("x").executeInsert("pay"); }} }}'
    assert ends({"A.java": java}) == {" > payments"}


LISTENER = """\
    import org.eclipse.microprofile.reactive.messaging.*;
    public class Messages {
        @Incoming("orders") public void handle(String message) {}
        @Channel("paid") Emitter<String> emitter;
    }
    """
CHANNELS = """\
    mp.messaging.incoming.orders.connector=smallrye-kafka
    mp.messaging.incoming.orders.topic=shop.orders
    mp.messaging.outgoing.paid.connector=smallrye-kafka
    mp.messaging.outgoing.paid.topic=shop.paid
    """


def pom(name: str, *dependencies: str) -> str:
    """Return a build file of Maven."""
    listed = "".join(f"<dependency><artifactId>{one}</artifactId></dependency>" for one in dependencies)
    return f"<project><artifactId>{name}</artifactId><dependencies>{listed}</dependencies></project>"


def test_the_listeners_of_a_library_are_of_the_programs_that_have_it():
    """A framework finds them there; a program's own setting precedes that of the library."""
    files = {
        "common/pom.xml": pom("common", "quarkus-messaging-kafka"),
        "common/src/main/java/Messages.java": LISTENER,
        "common/src/main/resources/application.properties": CHANNELS,
        "http/pom.xml": pom("http", "common"),
        "mail/pom.xml": pom("mail", "common"),
        "chat/pom.xml": pom("chat", "http"),
        "chat/src/main/resources/application.properties": "mp.messaging.outgoing.paid.topic=shop.chats\n",
        "mail-test/pom.xml": pom("mail-test", "common").replace(
            "</artifactId></d", "</artifactId><scope>test</scope></d"
        ),
    }

    assert flows(files) == {
        "mail: shop.orders > ",
        "mail:  > shop.paid",
        "chat: shop.orders > ",
        "chat:  > shop.chats",
    }


@pytest.mark.parametrize(
    ("build", "library", "program"),
    [
        ("build.gradle", "", "dependencies {\n  implementation project(':common')\n}\n"),
        ("build.gradle.kts", "", 'dependencies {\n  api(project(":common"))\n}\n'),
    ],
)
def test_a_class_of_a_library_is_of_the_programs_that_name_it(build: str, library: str, program: str):
    sender = SPRING + 'class OrderSender { void send() { kafkaTemplate.send("orders", "1"); } }'
    files = {
        f"common/{build}": library,
        "common/OrderSender.java": sender,
        f"mail/{build}": program,
        "mail/Mail.java": "class Mail { OrderSender sender; }",
        f"chat/{build}": program,
        "chat/Chat.java": "class Chat {}",
    }

    assert flows(files) == {"mail:  > orders"}


@pytest.mark.slow
def test_of_very_many_files_the_first_are_read_and_the_others_listed():
    """A limit leaves out what is beyond it, not everything."""
    send = "from confluent_kafka import Producer\np = Producer({})\np.produce('orders', b'')\n"
    reading = read({f"m{number:05}.py": send for number in range(MOST_UNITS + 5)})

    assert (reading.parsed, len(reading.unread)) == (MOST_UNITS, 5)
    assert {reason for _, reason in reading.unread} == {
        "the source files before it are as much as is read of one repository"
    }


@pytest.mark.parametrize("kept", ["private val topics: Topics", "topics: Topics", "topics: Topics?"])
def test_a_parameter_of_kotlin_is_of_the_class_that_it_names(kept: str):
    """The settings in that class say which topics a house's library reads."""
    files = {
        "pom.xml": POM,
        "src/main/kotlin/Reading.kt": f"""
            package shop
            import com.example.house.kafka.Consumers
            @Component class Reading({kept}, handler: Handler) {{
                init {{ Consumers().withConsumer(topics.billsTopic) {{ handler.on(it) }} }}
            }}
            """,
        "src/main/kotlin/Topics.kt": """
            package shop
            @ConfigurationProperties(prefix = "app.kafka") data class Topics(val billsTopic: String)
            """,
        "src/main/resources/application.properties": "app.kafka.bills-topic=bills-v1\n",
    }

    assert ends(files) == {"bills-v1 > "}


def test_a_caller_in_another_program_reads_nothing_for_this_one():
    """Only its name says what a function calls there: that of a function which sends here."""
    files = {
        "billing/.env": "LEDGER_TOPIC=ledger\n",
        "billing/pyproject.toml": '[project]\nname = "billing"\n',
        "billing/bills.py": """
            import os
            from aiokafka import AIOKafkaProducer

            async def book_entry(producer: AIOKafkaProducer, entry):
                await producer.send(os.environ["LEDGER_TOPIC"], value=entry.json())
            """,
        "archive/.env": "LEDGER_TOPIC=ledger\n",
        "archive/pyproject.toml": '[project]\nname = "archive"\n',
        "archive/main.py": """
            import os
            from aiokafka import AIOKafkaConsumer

            async def listen(topic):
                consumer = AIOKafkaConsumer(topic)
                async for message in consumer:
                    await Entries(message.value).save()

            class Entries:
                async def save(self):
                    rows.book_entry(self.entry)

            if __name__ == "__main__":
                listen(os.environ["LEDGER_TOPIC"])
            """,
    }

    assert flows(files) == {"bills:  > ledger", "archive: ledger > "}
