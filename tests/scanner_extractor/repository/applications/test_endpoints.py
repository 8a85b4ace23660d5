"""Programs as their evaluation sees them: across packages, with settings of included files, down to columns."""

from __future__ import annotations

import textwrap

import pytest

from scanner_extractor.repository.applications.endpoints import Made
from scanner_extractor.repository.applications.field_uses import column_path
from scanner_extractor.repository.applications.reader import (
    ApplicationsReading,
    KnownFiles,
    is_application_file,
    read_applications,
)
from scanner_model.names import SourceId

KAFKAJS = "import {Kafka} from 'kafkajs';\n"


def read(files: dict[str, str]) -> ApplicationsReading:
    return read_applications({path: textwrap.dedent(text) for path, text in files.items()}, SourceId("repository"))


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows of topics as `job: origin > target`."""
    found = (flow for flow in read(files).flows if not flow.target.path and not flow.origin.path)
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in found}


def columns(files: dict[str, str]) -> set[str]:
    """Return the flows of columns as `origin.path > target.path effect`."""
    found = (flow for flow in read(files).flows if flow.target.path)
    ends = ((flow, *(f"{end.name}.{'.'.join(end.path)}" for end in (flow.origin, flow.target))) for flow in found)
    return {f"{origin} > {target} {flow.effect}" for flow, origin, target in ends}


SENDER = KAFKAJS + (
    "export class Sender {\n"
    "  constructor(private readonly topic: string) { this.producer = new Kafka({}).producer(); }\n"
    "  async send(value) {\n"
    "    await this.producer.send({topic: this.topic, messages: [{value: JSON.stringify(value)}]});\n"
    "  }\n"
    "}\n"
)


@pytest.mark.parametrize(
    "beside",
    [
        {"libs/bus/package.json": '{"name": "@shop/bus"}'},
        {"tsconfig.base.json": '{"compilerOptions": {"paths": {"@shop/bus": ["libs/bus/index.ts"]}}}'},
        {"tsconfig.json": '{\n // paths\n "compilerOptions": {"paths": {"@shop/bus/*": ["libs/bus/*"]}}}'},
    ],
    ids=["package", "path", "paths"],
)
def test_a_package_of_the_repository_is_a_part_of_the_programs_that_import_it(beside: dict[str, str]):
    name = "@shop/bus/index" if "tsconfig.json" in beside else "@shop/bus"
    files = {
        **beside,
        "libs/bus/index.ts": SENDER,
        "apps/orders/package.json": '{"name": "orders"}',
        "apps/orders/main.ts": f"import {{Sender}} from '{name}';\nnew Sender('placed').send({{id: 1}});\n",
        "apps/mail/package.json": '{"name": "mail"}',
        "apps/mail/main.ts": f"import {{Sender}} from '{name}';\nnew Sender('mails').send({{to: 1}});\n",
    }

    assert flows(files) >= {"orders:  > placed", "mail:  > mails"}
    assert not flows(files) & {"orders:  > mails", "mail:  > placed"}


def test_a_package_of_go_is_a_part_of_the_programs_that_import_it():
    bus = """\
        package bus
        import "github.com/segmentio/kafka-go"
        type Bus struct { w *kafka.Writer }
        func New(topic string) *Bus { return &Bus{w: &kafka.Writer{Topic: topic}} }
        func (b *Bus) Send(v []byte) { b.w.WriteMessages(ctx, kafka.Message{Value: v}) }
        """
    main = 'package main\nimport "example.org/shop/pkg/bus"\nfunc main() { bus.New("placed").Send(nil) }\n'
    files = {"go.mod": "module example.org/shop\n", "pkg/bus/bus.go": bus, "cmd/orders/main.go": main}

    assert {flow.split("> ")[1] for flow in flows(files)} == {"placed"}


def test_the_settings_of_a_file_that_hocon_includes_name_topics():
    """The settings of the file that includes go first."""
    files = {
        "job/build.sbt": 'name := "job"\n',
        "job/src/main/resources/job.conf": 'include "base.conf"\nkafka { out = "refunds" }\n',
        "job/src/main/resources/base.conf": 'kafka { in = "orders"\n out = "unused" }\n',
        "job/src/main/scala/Job.scala": """\
            import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
            class Job(config: Config, producer: KafkaProducer[String, String]) {
              val out = config.getString("kafka.out")
              def send(v: String): Unit = producer.send(new ProducerRecord[String, String](out, v))
            }
            """,
    }

    assert {flow.split("> ")[1] for flow in flows(files)} == {"refunds"}


PYTHON = """\
    import json
    from kafka import KafkaConsumer, KafkaProducer
    consumer = KafkaConsumer("orders")
    producer = KafkaProducer()
    for message in consumer:
        order = json.loads(message.value)
        producer.send("paid", json.dumps({"id": order["order_id"], "gross": order["net"] * 1.19}).encode())
    """


def test_a_field_that_is_sent_comes_from_the_one_that_was_received():
    assert columns({"app.py": PYTHON}) == {
        "orders.order_id > paid.id IDENTITY",
        "orders.net > paid.gross TRANSFORMATION",
    }


def test_a_program_that_nests_too_deeply_ends_no_scan():
    deep = "producer.send('orders', " + "f(" * 3000 + "1" + ")" * 3000 + ")\n"
    files = {"app.py": f"from kafka import KafkaProducer\nproducer = KafkaProducer()\n{deep}"}

    assert read({**files, "other/pyproject.toml": "", "other/app.py": PYTHON}).flows


def test_a_variable_that_deployments_set_differently_names_a_topic_of_each():
    program = (
        "import os\nfrom kafka import KafkaProducer\n"
        "TOPIC = os.getenv('TOPIC', 'none')\nKafkaProducer().send(TOPIC, b'')\n"
    )
    compose = """\
        services:
          one: {build: ., environment: {TOPIC: first}}
          two: {build: ., environment: {TOPIC: second}}
        """
    files = {"Dockerfile": "FROM x\n", "app.py": program, "docker-compose.yml": compose}

    assert flows(files) == {"one:  > first", "two:  > second"}


def test_a_listener_passes_on_what_it_sends_and_not_what_another_one_does():
    """Both call a method of the same name, each its own."""
    listener = (
        "import {{ClientKafka, EventPattern}} from '@nestjs/microservices';\n"
        "export class {0} {{\n"
        "  constructor(private readonly client: ClientKafka) {{}}\n"
        "  log(id) {{ this.client.emit('{1}.log', {{value: {{id}}}}); }}\n"
        "  @EventPattern('{1}') on(message) {{ this.log(message.id); }}\n"
        "}}\n"
    )
    files = {
        "package.json": '{"name": "shop"}',
        "main.ts": "const options = { transport: Transport.KAFKA };\n",
        "a.ts": listener.format("A", "orders"),
        "b.ts": listener.format("B", "refunds"),
    }

    assert flows(files) == {"shop: orders > orders.log", "shop: refunds > refunds.log"}
    assert columns(files) == {"orders.id > orders.log.id IDENTITY", "refunds.id > refunds.log.id IDENTITY"}


def test_the_evidence_is_in_the_files_of_the_program_and_not_of_its_library():
    files = {
        "libs/bus/package.json": '{"name": "@shop/bus"}',
        "libs/bus/index.ts": SENDER,
        "apps/orders/package.json": '{"name": "orders"}',
        "apps/orders/main.ts": "import {Sender} from '@shop/bus';\nnew Sender('placed').send({id: 1});\n",
    }
    (flow,) = (flow for flow in read(files).flows if flow.job == "orders")

    assert flow.evidence == "apps/orders/main.ts:2"


FRAMEWORK = """\
    package shop;
    import org.apache.flink.connector.kafka.sink.*;
    import org.apache.kafka.clients.producer.ProducerRecord;
    public class Connector {
      public static KafkaSink<String> sink(String topic) {
        return KafkaSink.<String>builder().setRecordSerializer(new Serializer(topic)).build();
      }
    }
    class Serializer implements KafkaRecordSerializationSchema<String> {
      private final String topic;
      Serializer(String topic) { this.topic = topic; }
      public ProducerRecord<byte[], byte[]> serialize(String v, KafkaSinkContext c, Long t) {
        return new ProducerRecord<>(topic, v.getBytes());
      }
    }
    """
JOB = """\
    package shop;
    import org.apache.flink.connector.kafka.source.KafkaSource;
    import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
    public class Job {
      public static void main(String[] a) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<String> source = KafkaSource.<String>builder().setTopics("raw").build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "raw").process(new Cleaner())
          .sinkTo(Connector.sink("clean"));
      }
    }
    """


def test_a_job_of_flink_reads_and_writes_through_a_library():
    """The library, which has no topic of its own, is no program."""
    files = {
        "framework/pom.xml": "<project><artifactId>framework</artifactId></project>",
        "framework/Connector.java": FRAMEWORK,
        "job/pom.xml": "<project><artifactId>job</artifactId><dependencies><dependency>"
        "<artifactId>framework</artifactId></dependency></dependencies></project>",
        "job/Job.java": JOB,
    }

    assert flows(files) == {"job: raw > clean"}


def compared(files: dict[str, str], known: KnownFiles, *modules: str, made: Made | None = None) -> int:
    """Return how many evaluations are known after files are scanned, and each of *modules* is compared."""
    reading = read_applications(files, SourceId("repository"), known=known)
    for module in modules:
        assert reading.programs().compared(module, made or Made(), modules, ())
    return len(known.endpoints.found)


def test_a_changed_program_is_evaluated_once_for_the_scan_and_the_comparison():
    files = {"app/package.json": "{}", "app/a.ts": SENDER + 'new Sender("orders").send({total: 1});\n'}
    known = KnownFiles()
    known.endpoints.changed = frozenset({"app/a.ts"})

    assert compared(files, known, "app") == 1
    assert compared(files, known, "app") == 1
    assert compared({**files, "app/a.ts": files["app/a.ts"].replace("1", "2")}, known, "app") == 2


def test_a_comparison_knows_what_others_send_of_a_program():
    """A scan does not: it reads the program before the schemas and connectors that say so."""
    files = {"app/package.json": "{}", "app/a.ts": SENDER + "new Order({total: 1});\n"}
    known = KnownFiles()
    known.endpoints.changed = frozenset({"app/a.ts"})

    assert compared(files, known, "app", made=Made(frozenset({"Payment"}))) == 1
    assert compared(files, known, "app", made=Made(frozenset({"Order"}))) == 2


def test_a_program_without_a_client_can_be_compared():
    """Its rows may be captured."""
    code = """
    class Order(Base):
        __tablename__ = "orders"
        total = Column(Integer)

    def place(session, total):
        session.add(Order(total=total))
    """
    files = {"models.py": textwrap.dedent(code)}
    reading = read_applications(files, SourceId("repository"))
    assert reading.programs is not None

    found = reading.programs().compared("", Made(tables={"orders": ("shop.orders",)}), ("",), ())

    assert {topic for sent in found.contracts for topic in sent.topics} == {"shop.orders"}


SHARED = {
    "service/build.gradle": "subprojects { dependencies { compile project(':common') } }",
    "common/build.gradle": "",
    "common/src/main/java/shop/common/Topics.java": """
        package shop.common;
        public class Topics {
            public static final String REQUESTS = "requests";
            public static final String ADDED = "added";
            public static final String REPLIES = "replies";
        }
    """,
    "common/src/main/java/shop/common/Add.java": """
        package shop.common;
        public class Add { private int count; public int getCount() { return count; } }
    """,
    "service/stock/build.gradle": "",
    "service/stock/src/main/java/shop/stock/Rest.java": """
        package shop.stock;
        import org.springframework.kafka.annotation.*;
        import org.springframework.kafka.core.KafkaTemplate;
        import shop.common.Topics;
        import shop.common.Add;
        class Item { private final int stock; Item(int stock) { this.stock = stock; } }
        class Reply { private final Item item; Reply(Item item) { this.item = item; } }
        @KafkaListener(topics = Topics.REQUESTS)
        public class Rest {
            private final KafkaTemplate<String, Object> replies;
            private final KafkaTemplate<String, Item> items;
            public Rest(KafkaTemplate<String, Object> replies, KafkaTemplate<String, Item> items) {
                this.replies = replies;
                this.items = items;
                replies.setDefaultTopic(Topics.REPLIES);
            }
            @KafkaHandler
            public void add(Add add) {
                Item item = new Item(add.getCount());
                items.send(Topics.ADDED, item);
                replies.sendDefault(new Reply(item));
            }
        }
    """,
}


@pytest.mark.parametrize(
    ("imported", "prefix"),
    [
        ("import shop.common.Topics;\nimport shop.common.Add;", "Topics."),
        ("import static shop.common.Topics.*;\nimport shop.common.*;", ""),
    ],
    ids=["classes", "all"],
)
def test_a_class_that_is_imported_is_a_part_of_the_program(imported: str, prefix: str):
    """The build says only above that the modules have it."""
    path = "service/stock/src/main/java/shop/stock/Rest.java"
    text = textwrap.dedent(SHARED[path]).replace("import shop.common.Topics;\nimport shop.common.Add;", imported)
    files = {**SHARED, path: text.replace("Topics.R", f"{prefix}R").replace("Topics.A", f"{prefix}A")}
    assert flows(files) == {"stock: requests > added", "stock: requests > replies"}
    assert columns(files) == {
        "requests.count > added.stock IDENTITY",
        "requests.count > replies.item.stock IDENTITY",
    }


OPTIONS = {
    "Checks/Checks.csproj": '<Project><PackageReference Include="MassTransit.Kafka" /></Project>',
    "Checks/appsettings.json": '{"Kafka": {"Topics": {"CheckRequest": "check.request", "CheckReply": "check.reply"}}}',
    "Checks/Setup.cs": """
        using MassTransit;
        public static class Setup
        {
            public static void AddKafka(this IServiceCollection services, IConfiguration configuration)
            {
                var options = configuration.GetSection("Kafka").Get<KafkaOptions>();
                services.AddMassTransit(x => x.AddRider(rider =>
                {
                    rider.AddProducer<string, Reply<Checked>>(options.Topics.CheckReply);
                    rider.UsingKafka(options.Client, (context, kafka) =>
                        kafka.TopicEndpoint<string, Check>(topicName: options.Topics.CheckRequest, groupId: "g",
                            configure: e => e.ConfigureConsumer<Checker>(context)));
                }));
            }
        }
    """,
    "Checks/Checker.cs": """
        using MassTransit;
        public record Check { public string Number { get; set; } }
        public record Checked { public string Number { get; set; } }
        public record Reply<T> { public bool Success { get; set; } public T Data { get; set; } }
        public class Checker : IConsumer<Check>
        {
            private readonly ITopicProducer<string, Reply<Checked>> producer;
            public Checker(ITopicProducer<string, Reply<Checked>> producer) { this.producer = producer; }
            async Task IConsumer<Check>.Consume(ConsumeContext<Check> context)
            {
                var found = new Checked { Number = context.Message.Number };
                await producer.Produce("k", new Reply<Checked> { Success = true, Data = found });
            }
        }
    """,
}


def test_a_topic_in_an_object_of_settings_is_that_of_the_type_it_is_registered_with():
    assert flows(OPTIONS) == {"Checks: check.request > check.reply"}
    assert columns(OPTIONS) == {"check.request.number > check.reply.data.number IDENTITY"}


def test_a_variable_has_the_value_that_a_developer_starts_the_program_with():
    files = {
        "Posts/Posts.csproj": '<Project><PackageReference Include="Confluent.Kafka" /></Project>',
        "Posts/Properties/launchSettings.json": """
            {"profiles": {"Posts": {"environmentVariables": {"POSTS_TOPIC": "posts", "ASPNETCORE_ENVIRONMENT": "x"}}}}
        """,
        "Posts/Store.cs": """
            using Confluent.Kafka;
            public class Store
            {
                private readonly IProducer<string, string> producer;
                public Store(IProducer<string, string> producer) { this.producer = producer; }
                public Task Save(string text) => producer.ProduceAsync(
                    Environment.GetEnvironmentVariable("POSTS_TOPIC"), new Message<string, string> { Value = text });
            }
        """,
    }
    assert flows(files) == {"Posts:  > posts"}


def test_what_a_controller_sends_is_not_passed_on_from_what_a_listener_of_the_program_reads():
    """Both use the same class; what a listener sends of its own is sent because of the record."""
    code = """
        import org.springframework.kafka.annotation.KafkaListener;
        import org.springframework.kafka.core.KafkaTemplate;
        class Publisher {
            private final KafkaTemplate<String, String> template;
            Publisher(KafkaTemplate<String, String> template) { this.template = template; }
            void publish(String topic, String text) { template.send(topic, text); }
        }
        class Listener {
            private final Publisher publisher;
            Listener(Publisher publisher) { this.publisher = publisher; }
            @KafkaListener(topics = "visits") void on(String text) { publisher.publish("seen", "visited"); }
        }
        class Controller {
            private final Publisher publisher;
            Controller(Publisher publisher) { this.publisher = publisher; }
            @PostMapping void order(String text) { publisher.publish("orders", text); }
        }
    """
    assert flows({"pom.xml": "<project><artifactId>shop</artifactId></project>", "src/A.java": code}) == {
        "shop: visits > seen",
        "shop:  > orders",
    }


WRAPPERS = {
    "infra/consumer.py": """
        from confluent_kafka import Consumer

        class KafkaConsumer:
            settings = {"bootstrap.servers": "b:9092", "auto.offset.reset": "latest"}

            def __init__(self, group):
                self.settings["group.id"] = group
                self.consumer = Consumer(self.settings)

            def start(self, topics, handle):
                self.consumer.subscribe(topics)
                while True:
                    handle(self.consumer.poll(timeout=1.0))
    """,
    "infra/producer.py": """
        from confluent_kafka import Producer

        class KafkaProducer:
            def __init__(self, name):
                self.producer = Producer({"client.id": name})

            def produce(self, topic, data):
                self.producer.produce(topic=topic, value=data)

            def poll(self, timeout=None):
                self.producer.poll(timeout=timeout)
    """,
    "pay.py": """
        import json
        from infra.consumer import KafkaConsumer
        from infra.producer import KafkaProducer

        consumer = KafkaConsumer("payments")
        producer = KafkaProducer("pay")

        def handle(msg):
            order = json.loads(msg.value().decode())
            order["state"] = "paid"
            producer.produce("paid", json.dumps(order))

        consumer.start(["orders"], handle)
    """,
    "ship.py": """
        import json
        from infra.consumer import KafkaConsumer
        from infra.producer import KafkaProducer

        consumer = KafkaConsumer("shipping")
        producer = KafkaProducer("ship")

        def handle(msg):
            order = json.loads(msg.value().decode())
            producer.produce("shipped", json.dumps({"number": order["id"]}))

        consumer.start(["paid"], handle)
    """,
}


def test_each_script_has_what_it_does_with_classes_that_all_import():
    """The classes have names of clients, but are the program's own: what they are given is no topic."""
    assert flows(WRAPPERS) == {"pay: orders > paid", "ship: paid > shipped"}
    assert columns(WRAPPERS) == {"paid.id > shipped.number IDENTITY"}


def test_what_leads_to_a_library_of_the_house_uses_the_topics_that_it_is_given():
    """The evaluation follows the call to the program's own code, and comes to no client that it knows."""
    files = {
        "go.mod": "module example.org/shop",
        "main.go": """
            package main
            import "example.org/shop/services"
            func main() {
                list := services.List{Init: &services.Init{}}
                list.GetProducer(ctx, "orders")
            }
        """,
        "services/list.go": """
            package services
            import (
                "context"
                kafka "github.com/house/our-kafka/v2"
            )
            type Initialiser interface {
                DoGetProducer(context.Context, string) (kafka.IProducer, error)
            }
            type List struct { Init Initialiser }
            type Init struct{}
            func (l *List) GetProducer(ctx context.Context, topic string) (kafka.IProducer, error) {
                return l.Init.DoGetProducer(ctx, topic)
            }
            func (i *Init) DoGetProducer(ctx context.Context, topic string) (kafka.IProducer, error) {
                config := &kafka.ProducerConfig{}
                return kafka.NewProducer(ctx, topic, config)
            }
        """,
    }
    assert flows(files) == {"shop:  > orders"}


def test_what_is_passed_on_has_the_members_that_were_set_and_none_of_the_client():
    fields = {(one.job, one.topic, one.writes, one.path) for one in read(WRAPPERS).fields}

    assert {one for one in fields if one[2]} == {
        ("pay", "paid", True, ()),
        ("pay", "paid", True, ("state",)),
        ("ship", "shipped", True, ("number",)),
    }
    assert ("pay", "orders", False, ("state",)) not in fields


def test_a_path_of_fields_is_one_of_columns():
    assert column_path(["lines[]", "id"]) == ("lines", "[]", "id")
    assert column_path(["rows[][]"]) == ("rows", "[]", "[]")


RUST = """\
    use rdkafka::producer::{FutureProducer, FutureRecord};
    use rdkafka::consumer::StreamConsumer;
    use serde::{Deserialize, Serialize};

    #[derive(Deserialize)]
    struct Order { id: String, total: f64 }
    #[derive(Serialize)]
    struct Paid { #[serde(rename = "orderId")] order_id: String, gross: f64 }

    #[tokio::main]
    async fn main() {
        let consumer: StreamConsumer = make();
        consumer.subscribe(&["orders"]).unwrap();
        let producer: FutureProducer = make();
        loop {
            let message = consumer.recv().await.unwrap();
            let order: Order = serde_json::from_slice(message.payload().unwrap()).unwrap();
            let paid = Paid { order_id: order.id, gross: order.total * 1.19 };
            let body = serde_json::to_string(&paid).unwrap();
            producer.send(FutureRecord::to("paid").payload(&body).key("k"), Timeout::Never).await.unwrap();
        }
    }
    """


def test_a_program_in_rust_is_read_by_evaluation_alone():
    files = {"billing/Cargo.toml": '[package]\nname = "billing"\n', "billing/src/main.rs": RUST}

    assert flows(files) == {"billing: orders > paid"}
    assert columns(files) == {"orders.id > paid.orderId IDENTITY", "orders.total > paid.gross TRANSFORMATION"}
    assert read(files).unresolved == ()


def test_a_crate_of_the_repository_is_no_unknown_client_whatever_its_name_is():
    options = "pub struct KafkaOptions { pub brokers: String }\n"
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["billing", "shared"]\n',
        "shared/Cargo.toml": '[package]\nname = "shop-kafka"\n',
        "shared/src/lib.rs": options,
        "billing/Cargo.toml": '[package]\nname = "billing"\n[dependencies]\nshop-kafka = { path = "../shared" }\n',
        "billing/src/main.rs": f"use shop_kafka::KafkaOptions;\n{RUST}fn given(options: KafkaOptions) {{}}\n",
    }

    assert flows(files) == {"billing: orders > paid"}
    assert read(files).unresolved == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use streams_of_shop::backends::kafka::producer::Producer;\n", True),
        ("pub use rdkafka::consumer::Consumer;\n", True),
        ("use crate::kafka::Producer;\n", False),
        ("// kafka\nfn main() {}\n", False),
    ],
)
def test_a_file_of_rust_that_uses_a_crate_of_kafka_belongs_to_a_program(text: str, expected: bool):
    assert is_application_file("src/main.rs", text) is expected


def test_a_program_in_rust_whose_topics_are_not_found_is_listed():
    text = 'use kafka::producer::Producer;\nfn main() { run(Producer::from_hosts(vec!["k:9092".into()])); }\n'

    assert [path for path, _ in read({"Cargo.toml": "", "src/main.rs": text}).unresolved] == ["src/main.rs"]


def test_a_part_of_the_name_of_a_setting_is_no_topic():
    """Behind a colon stands a section of the name, no default; without the file that has it, the topic is not known."""
    program = """\
        using Confluent.Kafka;
        class Worker {
            private readonly IConfiguration _kafka;
            void Run(IProducer<string, string> producer) {
                producer.Produce(_kafka["Topics:Prices"], new Message<string, string> { Value = "x" });
            }
        }
        """

    assert flows({"shop.csproj": "<Project/>", "Worker.cs": program}) == set()


def test_directories_that_a_module_has_names_for_are_its_own():
    """Nothing else imports by the names of jsconfig.json, so their files are no package that others link."""
    files = {
        "src/package.json": '{"name": "mentoring"}',
        "src/jsconfig.json": '{"compilerOptions": {"paths": {"@services*": ["./services*"], "@bus*": ["./bus*"]}}}',
        "src/bus/mails.js": "const { Kafka } = require('kafkajs')\nconst producer = new Kafka({}).producer()\n"
        "const push = async (mail) => producer.send({ topic: 'mails', messages: [{ value: JSON.stringify(mail) }] })\n"
        "module.exports = { push }\n",
        "src/services/users.js": "const bus = require('@bus/mails')\n"
        "module.exports = class Users {\n  static async joined(user) { await bus.push({ to: user.mail }) }\n}\n",
        "src/services/orders.js": "module.exports = class Orders {\n  static async joined(order) {}\n}\n",
        "src/controllers/users.js": "const service = require('@services/users')\n"
        "module.exports = class {\n  async join(request) { await service.joined(request.body) }\n}\n",
        "src/app.js": "const routes = require(`./routes/${process.env.VERSION}`)\n",
    }

    assert flows(files) == {"mentoring:  > mails"}
    assert {field.path for field in read(files).fields} == {("to",)}


@pytest.mark.parametrize("imported", ["../../model", "../../model/orders"])
def test_code_that_a_program_imports_by_its_path_is_part_of_it(imported: str):
    """A package of the same repository needs not be a dependency in package.json."""
    files = {
        "packages/shop/package.json": '{"name": "shop"}',
        "packages/shop/src/main.ts": KAFKAJS
        + f"import {{Order}} from '{imported}';\nconst producer = new Kafka({{}}).producer();\n"
        + "producer.send({topic: 'orders', messages: [{value: JSON.stringify(new Order('a'))}]});\n",
        "packages/model/package.json": '{"name": "model"}',
        "packages/model/index.ts": "export * from './orders';\n",
        "packages/model/orders.ts": "export class Order { id: string; constructor(id: string) { this.id = id; } }\n",
    }
    written = {path for field in read(files).fields for path in [".".join(field.path)] if field.writes}
    assert written == {"id"}


def test_a_library_that_is_not_known_is_an_unresolved_use():
    files = {
        "a/pyproject.toml": '[project]\nname = "mails"\n',
        "a/main.py": (
            "from acme_bus.kafka import KafkaPublisher\n\n\ndef main(mail):\n"
            "    KafkaPublisher('b').publish(topic='mails', payload={'to': mail})\n"
        ),
    }
    reading = read(files)
    assert {flow.target.name for flow in reading.flows} == {"mails"}
    assert [path for path, reason in reading.unresolved if "acme_bus.kafka is not known" in reason] == ["a/main.py"]


@pytest.mark.parametrize(("variable", "is_listed"), [("KAFKA_TOPIC", True), ("PAGE_TITLE", False)])
def test_a_deployment_that_connects_a_program_without_a_known_client_is_an_unresolved_use(
    variable: str, is_listed: bool
):
    files = {
        "decisions/pyproject.toml": '[project]\nname = "decisions"\n',
        "decisions/main.py": "from acme_bus import Bus\n\nBus().put('a')\n",
        "deploy/compose.yaml": f"""
            services:
              decisions:
                build: ../decisions
                environment:
                  {variable}: decisions
        """,
    }
    listed = [path for path, reason in read(files).unresolved if f"{variable} connects decisions to Kafka" in reason]
    assert listed == ["deploy/compose.yaml"] * is_listed


@pytest.mark.parametrize(("variable", "is_listed"), [("KAFKA_BROKERS", True), ("PAGE_TITLE", False)])
def test_code_that_names_a_variable_of_kafka_without_a_known_client_is_an_unresolved_use(
    variable: str, is_listed: bool
):
    """No file says that a platform sets the variable."""
    files = {
        "decisions/pyproject.toml": '[project]\nname = "decisions"\n',
        "decisions/main.py": f"import os\nfrom acme_bus import Bus\n\nBus(os.environ['{variable}']).put('a')\n",
    }
    listed = [path for path, reason in read(files).unresolved if f"it names {variable}" in reason]
    assert listed == ["decisions/main.py"] * is_listed
