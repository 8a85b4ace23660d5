"""Values of expressions: members of objects, settings of a program, loops over objects, classes below one."""

from __future__ import annotations

import textwrap

import pytest

from scanner_extractor.repository.applications.reader import read_applications
from scanner_model.names import SourceId


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows as `job: origin > target`."""
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    reading = read_applications(texts, SourceId("repository"))
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in reading.flows}


SERVER = """\
    package server
    import "github.com/segmentio/kafka-go"
    func (s *server) topics() []string {
        return []string{s.cfg.KafkaTopics.Created.TopicName, s.cfg.KafkaTopics.Deleted.TopicName}
    }
    func (s *server) Run() { s.group.Consume(s.ctx, s.topics()) }
    """
GROUP = """\
    package kafka
    import "github.com/segmentio/kafka-go"
    func (c *group) Consume(ctx Context, topics []string) {
        r := kafka.NewReader(kafka.ReaderConfig{GroupTopics: topics})
    }
    """
SETTINGS = "kafkaTopics:\n  created:\n    topicName: {0}.created\n  deleted:\n    topicName: {0}.deleted\n"


def test_programs_of_one_go_module_have_their_own_settings_and_names():
    """`reader/cmd/main.go` is the program of `reader`; what both share is read with the settings of each."""
    files = {"go.mod": "module example.org/shop\n", "pkg/kafka/group.go": GROUP}
    for program in ("reader", "writer"):
        files |= {
            f"{program}/cmd/main.go": "package main\nfunc main() { server.New().Run() }\n",
            f"{program}/server/server.go": SERVER,
            f"{program}/config/config.yaml": SETTINGS.format(program),
        }

    assert flows(files) == {
        f"{program}: {program}.{end} > " for program in ("reader", "writer") for end in ("created", "deleted")
    }


def test_a_package_of_go_is_known_by_the_name_that_it_is_imported_as():
    """A loop goes through objects whose members are constants of that package."""
    main = """\
        package main
        import topics "example.org/shop/internal/kafka"
        func main() {
            targets := []struct { topic string; table string }{{topic: topics.Paid, table: "a"}, {topic: topics.Sent}}
            for _, t := range targets {
                r := topics.NewReader(t.topic)
            }
        }
        """
    shared = """\
        package kafka
        import kafkago "github.com/segmentio/kafka-go"
        const (
            Paid = "paid"
            Sent = "sent"
        )
        func NewReader(topic string) *kafkago.Reader {
            return kafkago.NewReader(kafkago.ReaderConfig{Topic: topic})
        }
        """
    files = {"go.mod": "module example.org/shop\n", "cmd/job/main.go": main, "internal/kafka/kafka.go": shared}

    assert flows(files) == {"shop: paid > ", "shop: sent > "}


WRAPPER = """\
    using Confluent.Kafka;
    public class Sender {
        private string _topic;
        public Sender(string topic) { this._topic = topic; this._producer = new Producer<string, string>(config); }
        public void Send(string text) { this._producer.ProduceAsync(this._topic, text); }
    }
    """


BROKER = """\
    import { Kafka } from 'kafkajs';
    const subscribe = async (handler, topic) => { await consumer.subscribe({ topic: topic }); };
    const publish = async (data) => { await producer.send({ topic: data.topic, messages: [] }); };
    export const Broker = { subscribe, publish };
    """


def test_a_function_that_a_constant_has_is_one_of_its_own_module():
    """Services that have a copy of the same file each call their own."""
    files = {}
    for service, other in (("billing", "orders"), ("orders", "refunds")):
        main = f"""\
            import {{ Broker }} from './broker';
            Broker.subscribe(handle, "{service}");
            Broker.publish({{ topic: "{other}", event: 1 }});
            """
        package = f'{{"name": "{service}"}}'
        files |= {f"{service}/package.json": package, f"{service}/broker.ts": BROKER, f"{service}/index.ts": main}

    assert flows(files) == {
        "billing: billing > ",
        "billing:  > orders",
        "orders: orders > ",
        "orders:  > refunds",
    }


def test_an_injected_topic_is_the_bean_of_the_module():
    """Spring has one bean of the type, or one of the name of the parameter."""
    config = """\
        import org.apache.kafka.clients.admin.NewTopic;
        @Configuration
        class Topics {
            @Value("${orders.topic}") private String name;
            @Bean public NewTopic topic() { return TopicBuilder.name(name).build(); }
            @Bean public NewTopic refunds() { return new NewTopic("refunds", 1, (short) 1); }
        }
        """
    producer = """\
        import org.apache.kafka.clients.admin.NewTopic;
        import org.springframework.kafka.core.KafkaTemplate;
        class Sender {
            private NewTopic topic;
            private KafkaTemplate<String, Order> template;
            Sender(NewTopic topic, KafkaTemplate<String, Order> template) { this.topic = topic; }
            void send(Order order) { template.send(topic.name(), order); }
        }
        """
    files = {"pom.xml": "<project><artifactId>shop</artifactId>kafka</project>", "Topics.java": config}
    files |= {"Sender.java": producer, "application.properties": "orders.topic=orders\n"}

    assert flows(files) == {"shop:  > orders"}


def test_a_member_of_a_struct_is_what_its_literals_have():
    """In Go, where nothing else makes an object."""
    code = """\
        package main
        import "github.com/confluentinc/confluent-kafka-go/v2/kafka"
        const paid = "paid"
        type sender struct { producer *kafka.Producer; topic string }
        func newSender(topic string) *sender { return &sender{topic: topic} }
        func (s *sender) send() {
            s.producer.Produce(&kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &s.topic}})
        }
        func main() { newSender(paid).send() }
        """

    assert flows({"go.mod": "module example.org/shop\n", "main.go": code}) == {"shop:  > paid"}


def test_a_file_that_another_imports_is_a_part_of_that_program():
    """Its name may have dots, as those of NestJS have."""
    service = "import { ClientKafka } from '@nestjs/microservices';\nclass A { f() { this.client.emit('paid', 1); } }\n"
    files = {"package.json": '{"name": "shop"}', "src/app.service.ts": service}
    files |= {"src/main.ts": "import { A } from './app.service';\n"}

    assert flows(files) == {"shop:  > paid"}


NEST = {
    "package.json": '{"name": "all"}',
    "apps/orders/tsconfig.app.json": "{}",
    "apps/orders/src/main.ts": "const options = { transport: Transport.KAFKA };\n",
    "apps/orders/src/controller.ts": """\
        import { EventPattern } from '@nestjs/microservices';
        export class A { @EventPattern('paid') handle(message) { this.client.emit('orders', message); } }
        """,
    "apps/mail/tsconfig.app.json": "{}",
    "apps/mail/src/main.ts": "// not Kafka\nconst options = { transport: Transport.RMQ };\n",
    "apps/mail/src/controller.ts": """\
        import { EventPattern } from '@nestjs/microservices';
        export class B { @EventPattern('letters') handle(message) { this.client.emit('sent', message); } }
        """,
}


def test_a_file_of_the_application_chooses_the_broker_of_nestjs():
    """Its controllers and services need not name Kafka; each application of the repository is a program."""
    assert flows(NEST) == {"orders: paid > orders"}


def test_an_element_of_what_is_received_has_a_topic_of_its_own():
    """It is not what a setting of the same name has."""
    code = """\
        package main
        import "github.com/twmb/franz-go/pkg/kgo"
        type Config struct { Topic string }
        func defaults() Config { return Config{Topic: "flows"} }
        func copy(listed []Batch, client *kgo.Client) {
            for _, batch := range listed {
                client.Produce(ctx, &kgo.Record{Topic: batch.Topic}, nil)
            }
        }
        """

    assert flows({"go.mod": "module example.org/shop\n", "main.go": code}) == set()


def test_a_part_of_a_name_is_not_the_name():
    """A text that is divided at commas is a list of names; a job of Spark is evaluated."""
    code = """\
        for rule in ["rules.large", "rules.late"]:
            topic = rule.split(".")[-1]
            frame.writeStream.format("kafka").option("topic", topic).start()
        """
    reading = read_applications({"a.py": textwrap.dedent(code)}, SourceId("repository"))

    assert {flow.target.name for flow in reading.flows} == {"large", "late"}
    assert [path for path, _ in reading.unresolved] == ["a.py"]
    consumer = 'from kafka import KafkaConsumer\nfor topic in "a;b".split(";"):\n    KafkaConsumer(topic)\n'
    assert flows({"b.py": consumer}) == {"b: a > ", "b: b > "}


def test_an_extension_method_is_called_without_its_first_parameter():
    extension = """\
        using Confluent.Kafka;
        public static class Extension {
            public static void AddReader(this ContainerBuilder builder, string topic, string group) {
                builder.Build().Subscribe(topic);
            }
        }
        """
    program = 'using Confluent.Kafka;\nclass Program { void Run() { builder.AddReader("paid", "billing"); } }\n'
    files = {"Api.csproj": "<Project/>", "Extension.cs": extension, "Program.cs": program}

    assert flows(files) == {"Api: paid > "}


def test_a_member_of_the_object_itself_is_what_its_constructor_is_given():
    """In C#, too, whose grammar has no node with a name for `this`."""
    files = {
        "Api.csproj": "<Project/>",
        "Sender.cs": WRAPPER,
        "Orders.cs": 'using Confluent.Kafka;\nclass Orders { void Post() { var s = new Sender("orders"); } }\n',
    }

    assert flows(files) == {"Api:  > orders"}


LISTENER = """\
    import { Consumer } from 'kafkajs';
    export abstract class Listener {
      abstract topic: string;
      async listen() { await this.consumer.subscribe({ topic: this.topic }); }
    }
    """
PAID = """\
    import { Listener, Topics } from '@shop/common';
    export class PaidListener extends Listener { topic: Topics.Paid = Topics.Paid; }
    """


def test_a_class_reads_what_those_below_it_name_each_for_its_own_program():
    """The classes below, and the constants that they name, do not mention Kafka."""
    files = {
        "common/package.json": '{"name": "@shop/common"}',
        "common/listener.ts": LISTENER,
        "common/topics.ts": "export enum Topics { Paid = 'orders.paid' }\n",
        "billing/package.json": '{"name": "billing"}',
        "billing/paid.ts": PAID,
        "billing/index.ts": "import { PaidListener } from './paid';\nnew PaidListener().listen();\n",
    }

    assert flows(files) == {"billing: orders.paid > "}


@pytest.mark.parametrize(
    ("value", "settings"),
    [
        ('CONFIG["topics"]["orders"]', {"shop.ini": "[topics]\norders = shop.orders\n"}),
        ('config.get("topics").get("orders")', {"config.yml": "topics:\n  orders: shop.orders\n"}),
        ("settings.topics.orders", {"settings.yaml": "topics:\n  orders: shop.orders\n"}),
    ],
)
def test_a_setting_is_found_by_the_names_that_lead_to_it(value: str, settings: dict[str, str]):
    """A file of sections is one of settings, whatever it is called."""
    code = f"from kafka import KafkaProducer\nprod = KafkaProducer()\nprod.send({value})\n"

    assert flows({"setup.py": 'setup(name="shop")', "send.py": code, **settings}) == {"send:  > shop.orders"}


def test_parts_of_a_package_are_of_the_program_that_loads_them():
    """Faust's agents are found by name, and send through objects of topics."""
    agents = """\
        from example.app import app
        orders = app.topic('orders')
        @app.agent(orders)
        async def count(stream): ...
        @app.timer(5.0)
        async def tick(): await orders.send(value=1)
        """
    files = {
        "compose.yaml": "services:\n  worker:\n    build: .\n    command: ./run.sh\n",
        "setup.py": 'setup(name="example")',
        "example/__init__.py": "",
        "example/app.py": "import faust\napp = faust.App('1')\n",
        "example/users/__init__.py": "",
        "example/users/agents.py": agents,
    }

    assert flows(files) == {"worker: orders > ", "worker:  > orders"}


def test_of_a_command_that_runs_several_scripts_each_is_a_program():
    """A container may start more than one."""
    code = "from kafka import KafkaProducer\nKafkaProducer().send('{}')\n"
    command = "    command: sh -c 'python bake.py & python send.py'\n"
    files = {"compose.yaml": f"services:\n  pizza:\n    build: .\n{command}", "Dockerfile": "FROM python\n"}
    files |= {"bake.py": code.format("baked"), "send.py": code.format("sent")}

    assert flows(files) == {"bake:  > baked", "send:  > sent"}


def test_a_setting_that_no_file_has_is_said():
    """The flow is missing, and the place of the call is named."""
    code = "from kafka import KafkaProducer\nKafkaProducer().send(config.topics.orders)\n"
    reading = read_applications({"send.py": code}, SourceId("repository"))

    assert reading.flows == ()
    assert reading.unresolved == (("send.py", "the topic '${topics.orders}' has no value (set it with --var): line 2"),)


def test_a_secret_is_no_topic():
    """A call that is given a password has an unresolved topic; a topic about passwords is one."""
    program = """\
        import org.apache.kafka.clients.producer.*;
        class Sender {
            static final String PASSWORD = "s3cret";
            static final String PASSWORD_RESET_TOPIC = "password-resets";
            void send(KafkaProducer<String, String> producer) {
                producer.send(new ProducerRecord<>(PASSWORD, "a"));
                producer.send(new ProducerRecord<>(PASSWORD_RESET_TOPIC, "a"));
            }
        }
        """

    assert flows({"Sender.java": program}) == {"Sender:  > password-resets"}


def test_the_keys_of_a_table_of_handlers_are_topics():
    """A key in brackets is an expression, and so is every key in Python."""
    script = """\
        const { Kafka } = require("kafkajs");
        const PAID = "paid";
        const handlers = { "orders": onOrder, [PAID]: onPaid };
        async function run() {
            await Promise.all(Object.keys(handlers).map((topic) => consumer.subscribe({ topic })));
        }
        """
    module = """\
        from confluent_kafka import Consumer
        PAID = "paid"
        HANDLERS = {"orders": on_order, PAID: on_paid}
        consumer.subscribe(list(HANDLERS.keys()))
        """

    assert flows({"shop.js": script}) == {"shop: orders > ", "shop: paid > "}
    assert flows({"shop.py": module}) == {"shop: orders > ", "shop: paid > "}


def test_a_topic_of_the_configuration_is_what_the_only_literal_with_it_has():
    """However the configuration is put together from objects."""
    settings = """\
        function settings(env) {
            const own = { ORDERS_TOPIC: process.env.ORDERS_TOPIC || "orders" };
            return { ...common, ...own };
        }
        module.exports = settings(process.env.NODE_ENV);
        """
    main = """\
        const { Kafka } = require("kafkajs");
        const constants = require("@config/constants");
        producer.send({ topic: constants.ORDERS_TOPIC, messages });
        """

    assert flows({"config/constants.js": settings, "shop.js": main}) == {"shop:  > orders"}


def test_a_file_that_exports_is_a_part_of_its_package():
    """Also if an alias hides who imports it, or a script loads it for another purpose."""
    sender = 'const { Kafka } = require("kafkajs");\nproducer.send({ topic: "orders" });\nmodule.exports = { send };\n'
    files = {"package.json": '{"name": "shop", "main": "./bin"}', "utils/order.util.js": sender}

    assert flows(files) == {"shop:  > orders"}
    assert flows(files | {"scripts/dump.js": 'require("../utils/order.util")', "bin/index.js": ""}) == {
        "dump:  > orders"
    }
    assert flows(
        files | {"scripts/dump.js": 'require("../utils/order.util")', "bin/main.js": 'require("../utils/order.util")'}
    ) == {"shop:  > orders"}


def test_a_file_that_a_command_of_the_package_starts_is_a_program():
    """A package may have several."""
    sender = 'const { Kafka } = require("kafkajs");\nproducer.send({ topic: "orders" });\nmodule.exports = { send };\n'
    package = '{"name": "shop", "scripts": {"mailer": "node src/mailer.js"}}'

    assert flows({"package.json": package, "src/mailer.js": sender}) == {"mailer:  > orders"}


BASES = {
    "Sender.kt": """\
        import org.apache.kafka.clients.producer.*
        abstract class Sender(val producer: KafkaProducer<String, String>, val topic: String) {
            fun delete(id: String) = producer.send(ProducerRecord(topic, id, null))
        }
        class Orders(producer: KafkaProducer<String, String>, topic: String) : Sender(producer, topic)
        fun main() { Orders(KafkaProducer(config), "orders").delete("1") }
        """,
    "Sender.java": """\
        import org.apache.kafka.clients.producer.*;
        abstract class Sender {
            private final String topic;
            Sender(String topic) { this.topic = topic; }
            void delete(String id) { producer.send(new ProducerRecord<>(topic, id, null)); }
        }
        class Orders extends Sender implements Closeable { Orders() { super("orders"); } }
        """,
    "Sender.cs": """\
        using Confluent.Kafka;
        abstract class Sender {
            private readonly string _topic;
            protected Sender(string topic) { _topic = topic; }
            void Delete(string id) { producer.ProduceAsync(_topic, new Message<string, string>()); }
        }
        class Orders : Sender, IDisposable { public Orders() : base("orders") {} }
        """,
    "sender.ts": """\
        import { Kafka } from 'kafkajs';
        abstract class Sender {
            constructor(private topic: string) {}
            remove(id: string) { this.producer.send({ topic: this.topic, messages: [] }); }
        }
        class Orders extends Sender { constructor() { super('orders'); } }
        """,
    "sender.py": """\
        from confluent_kafka import Producer
        class Sender:
            def __init__(self, topic):
                self.topic = topic
            def remove(self, key):
                self.producer.produce(self.topic, key=key)
        class Orders(Sender):
            def __init__(self):
                super().__init__("orders")
        """,
}


@pytest.mark.parametrize("path", BASES)
def test_a_class_gives_its_superclass_the_topic(path: str):
    """The superclass sends; the class below it has the name."""
    assert {flow.partition(": ")[2] for flow in flows({path: BASES[path]})} == {" > orders"}


def test_a_getter_of_several_configurations_that_agree():
    """One takes the name as it is, the other looks up what the platform calls that topic."""
    configuration = """\
        class Configuration:
            def get_kafka_topic(name): pass
        class Local(Configuration):
            def get_kafka_topic(name): return name
        class Platform(Configuration):
            def get_kafka_topic(name): return KafkaTopics.get(name).name
        """
    main = """\
        from confluent_kafka import Producer
        ORDERS_TOPIC = CONFIGURATION.get_kafka_topic("shop.orders")
        producer.produce(ORDERS_TOPIC, value=order)
        """
    other = configuration.replace("return name", 'return "local." + name')

    assert flows({"configuration.py": configuration, "shop.py": main}) == {"shop:  > shop.orders"}
    assert flows({"configuration.py": other, "shop.py": main}) == set()


def test_a_field_has_what_the_constructor_assigns_to_its_variable():
    service = """\
        import { ClientKafka } from '@nestjs/microservices';
        export class Orders {
            topic: string;
            constructor(private readonly client: ClientKafka, config: ConfigService) {
                const known = config.get<string>('ORDERS_TOPIC');
                this.topic = known;
            }
            send(order) { this.client.emit(this.topic, order); }
        }
        """
    files = {"package.json": '{"name": "shop"}', "orders.ts": service, "config.yml": "ORDERS_TOPIC: shop.orders\n"}

    assert flows(files) == {"shop:  > shop.orders"}


READER = "from confluent_kafka import Consumer\nfrom {0} import TOPIC\nConsumer({{}}).subscribe([TOPIC])\n"


def test_a_constant_that_the_branches_of_a_condition_set_has_all_their_values():
    settings = """\
        import os
        if os.getenv("LIVE"):
            TOPIC = "live.orders"
        else:
            TOPIC = os.getenv("TOPIC", "local.orders")
        """
    files = {"config.py": settings, "read.py": READER.format("config")}

    assert flows(files) == {"read: live.orders > ", "read: local.orders > "}


def test_a_constant_of_several_files_with_different_values_has_none():
    files = {
        "a/config.py": "TOPIC = 'a'\n",
        "b/config.py": "TOPIC = 'b'\n",
        "read.py": READER.format("config"),
    }

    assert flows(files) == set()


@pytest.mark.parametrize(("first", "expected"), [("text", set()), ("'orders'", {"read: > orders"})])
def test_an_encoding_is_not_read_as_a_topic(first: str, expected: set[str]):
    code = f"from confluent_kafka import Producer\np = Producer({{}})\np.produce({first}.encode('utf-8'), b'')\n"
    assert {flow.replace("  ", " ") for flow in flows({"read.py": code})} == expected


SENDING = """\
    package main
    import (
        "fmt"
        "github.com/segmentio/kafka-go"
    )
    func send(topic string) { w := &kafka.Writer{Topic: topic} }
    """


@pytest.mark.parametrize(
    ("code", "topics"),
    [
        ('for _, t := range []string{"a", "b"} {\n t = fmt.Sprintf("eu.%s", t)\n send(t)\n }', {"eu.a", "eu.b"}),
        ('t := "a"\n t = "eu." + t\n t = t + ".v1"\n send(t)', {"eu.a.v1"}),
        ('t := "a"\n if far {\n t = "eu." + t\n }\n send(t)', {"a", "eu.a"}),
        ('t := "a"\n send(t)\n t = t + ".retry"\n send(t)', {"a", "a.retry"}),
        ('t := "a"\n for i := 0; i < n; i++ {\n t = t + ".b"\n }\n send(t)', {"a", "a.b"}),
    ],
)
def test_a_variable_that_is_built_from_its_former_value(code, topics):
    main = textwrap.dedent(SENDING) + f"func main() {{\n{code}\n}}\n"

    assert flows({"go.mod": "module example.org/shop\n", "main.go": main}) == {f"shop:  > {topic}" for topic in topics}


def test_a_variable_of_python_that_is_built_from_its_former_value():
    main = """\
        from kafka import KafkaProducer
        topic = "paid"
        topic = f"eu.{topic}"
        KafkaProducer().send(topic, b"1")
        """

    assert flows({"shop/requirements.txt": "kafka-python\n", "shop/main.py": main}) == {"shop:  > eu.paid"}


def test_a_loop_goes_through_more_than_a_few_topics():
    names = [f"topic{number}" for number in range(20)]
    main = f"from kafka import KafkaProducer\nfor t in {names}:\n    KafkaProducer().send(t, b'1')\n"

    found = flows({"shop/requirements.txt": "kafka-python\n", "shop/main.py": main})

    assert found == {f"shop:  > {name}" for name in names}
