"""Objects and settings that a program does not name where it uses them: of containers, maps by class, functions."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

KOIN = """
import org.apache.kafka.clients.producer.{0}
import org.koin.dsl.module
interface Events<E> {{ fun publish(event: E) }}
data class Paid(val id: String)
class Sender(private val producer: Producer<String, Paid>, private val topic: String) : Events<Paid> {{
    override fun publish(event: Paid) {{
        if (!event.id.isNotEmpty()) return
        producer.send(ProducerRecord(topic, event.id, event))
    }}
}}
class Twice<E>(private val inner: Events<E>) : Events<E> {{
    override fun publish(event: E) {{ inner.publish(event) }}
}}
class Pay(private val events: Events<Paid>) {{
    fun pay(id: String) {{ events.publish(Paid(id)) }}
}}
fun parts() = module {{
    single<Producer<String, Paid>> {{ KafkaProducer(mapOf("acks" to "all"), StringSerializer(), PaidSerializer()) }}
    single<Events<Paid>> {{ Twice(Sender(get(), "payments")) }}
    single {{ Pay(get()) }}
}}
"""
DOTNET = """
using Confluent.Kafka;
public interface IEvents { Task Publish(Paid e); }
public record Paid(string Id);
public class Sender : IEvents {
  private readonly IProducer<string, string> _producer; private readonly string _topic;
  public Sender(IProducer<string, string> producer, string topic) { _producer = producer; _topic = topic; }
  public Task Publish(Paid e) =>
    _producer.ProduceAsync(_topic, new Message<string, string> { Key = e.Id, Value = e.Id });
}
public class Twice : IEvents {
  private readonly IEvents _inner;
  public Twice(IEvents inner) { _inner = inner; }
  public Task Publish(Paid e) => _inner.Publish(e);
}
public class Pay {
  private readonly IEvents _events;
  public Pay(IEvents events) { _events = events; }
  public Task Do(string id) => _events.Publish(new Paid(id));
}
public static class Parts {
  public static void Add(IServiceCollection services) {
    services.AddSingleton<IEvents>(sp =>
      new Twice(new Sender(sp.GetRequiredService<IProducer<string, string>>(), "payments")));
    services.AddSingleton<Pay>();
  }
}
"""
KODEIN = KOIN.format("*").partition("fun parts")[0] + (
    "val parts = DI {\n    bind<Events<Paid>> { singleton { Twice(Sender(instance(), \"payments\")) } }\n"
    "    bind<Pay> { singleton { Pay(instance()) } }\n}\n"
)  # fmt: skip


def topics(found):
    return {topic for one in found.contracts if not one.inner for topic in one.topics}


@pytest.mark.parametrize(
    ("path", "code"), [("a.kt", KOIN.format("*")), ("a.cs", DOTNET), ("a.kt", KODEIN)], ids=("koin", "dotnet", "kodein")
)
def test_an_object_of_a_container_is_the_one_that_it_is_told_for_the_type(sends, path: str, code: str) -> None:
    found = sends({path: code})

    assert topics(found) == {"payments"}
    assert all(one.topics for one in found.contracts)


def test_the_client_of_a_container_is_the_one_that_it_is_told(sends) -> None:
    code = KOIN.format("*")
    found = compare(sends({"a.kt": code}), sends({"a.kt": code.replace("PaidSerializer()", "OtherSerializer()")}))

    assert [one.certain for one in found if one.aspect == "client"]


@pytest.mark.parametrize(
    "change", [("!event.id.isNotEmpty()", "event.id.isNotEmpty()"), ("event.id, event", "topic, event")]
)
def test_what_the_object_of_a_container_does_is_part_of_the_record(sends, change: tuple[str, str]) -> None:
    code = KOIN.format("*")

    assert any(one.certain for one in compare(sends({"a.kt": code}), sends({"a.kt": code.replace(*change)})))


BY_CLASS = {
    "a.java": "import org.springframework.kafka.core.KafkaTemplate;\nimport java.util.Map;\n"
    "interface Event { String id(); }\nrecord Opened(String id) implements Event {}\n"
    "record Closed(String id) implements Event {}\nclass Bus {\n"
    '  static final Map<Class<?>, String> TOPICS = Map.of(Opened.class, "opened", Closed.class, "closed");\n'
    "  KafkaTemplate<String, Event> template;\n"
    "  void publish(Event e) { template.send(TOPICS.get(e.getClass()), e.id(), e); }\n"
    "  void open(String id) { publish(new Opened(id)); }\n}\n",
    "a.ts": "import { Kafka } from 'kafkajs';\nclass Opened { constructor(readonly id: string) {} }\n"
    "class Closed { constructor(readonly id: string) {} }\n"
    "const topics = new Map<Function, string>([[Opened, 'opened'], [Closed, 'closed']]);\n"
    "const producer = new Kafka({}).producer();\nexport async function open(id: string) {\n"
    "  const event = new Opened(id);\n"
    "  const messages = [{ value: JSON.stringify(event) }];\n"
    "  await producer.send({ topic: topics.get(event.constructor), messages });\n}\n",
    "a.cs": "using Confluent.Kafka;\npublic record Opened(string Id);\npublic record Closed(string Id);\n"
    "public class Bus {\n"
    "  static readonly Dictionary<Type, string> Topics =\n"
    '    new() { [typeof(Opened)] = "opened", [typeof(Closed)] = "closed" };\n'
    "  private readonly IProducer<string, string> _producer;\n"
    "  public Task Open(string id) { var e = new Opened(id);\n"
    "    return _producer.ProduceAsync(Topics[e.GetType()], new Message<string, string> { Value = e.Id }); }\n}\n",
    "a.py": "from confluent_kafka import Producer\nclass Opened: ...\nclass Closed: ...\n"
    "TOPICS = {Opened: 'opened', Closed: 'closed'}\nproducer = Producer({})\n"
    "def publish(event):\n    producer.produce(TOPICS[type(event)], value='x')\n"
    "def open_it():\n    publish(Opened())\n",
    "a.kt": "import org.springframework.kafka.core.KafkaTemplate\nenum class Stage { RAW, CLEAN }\n"
    "class Bus(private val template: KafkaTemplate<String, String>) {\n"
    '    private val topics = mapOf(Stage.RAW to "raw", Stage.CLEAN to "opened")\n'
    "    private fun publish(stage: Stage) { template.send(topics.getValue(stage), \"x\") }\n"
    "    fun open() { publish(Stage.CLEAN) }\n}\n",
}  # fmt: skip


@pytest.mark.parametrize("path", BY_CLASS)
def test_a_map_has_what_is_under_a_class_or_a_constant(sends, path: str) -> None:
    found = sends({path: BY_CLASS[path]})

    assert topics(found) == {"opened"}
    assert not found.is_opaque


NEST = {
    "config.ts": "import { registerAs } from '@nestjs/config';\nexport const shop = registerAs('shop', () => ({\n"
    "  topics: { orders: process.env.ORDERS_TOPIC ?? 'shop.orders' },\n}));\n",
    "sender.ts": "import { ConfigService } from '@nestjs/config';\n"
    "import { ClientKafka } from '@nestjs/microservices';\nexport class Sender {\n"
    "  constructor(private readonly client: ClientKafka, private readonly config: ConfigService) {}\n"
    "  send(id: string) {\n"
    "    this.client.emit(this.config.getOrThrow<string>('shop.topics.orders'), { value: id });\n  }\n}\n",
}
LOADED = {
    **NEST,
    "config.ts": "export default () => ({ shop: { topics: { orders: 'shop.orders' } } });\n",
    "module.ts": "import configuration from './config';\nimport { ConfigModule } from '@nestjs/config';\n"
    "@Module({ imports: [ConfigModule.forRoot({ load: [configuration] })] })\nexport class AppModule {}\n"
    "export const loaded = ConfigModule.forRoot({ load: [configuration] });\n",
}
INJECTED = {
    **NEST,
    "sender.ts": "import { ConfigType } from '@nestjs/config';\n"
    "import { ClientKafka } from '@nestjs/microservices';\n"
    "import { shop } from './config';\nexport class Sender {\n"
    "  constructor(private readonly client: ClientKafka, private readonly config: ConfigType<typeof shop>) {}\n"
    "  send(id: string) { this.client.emit(this.config.topics.orders, { value: id }); }\n}\n",
}
VIPER = {
    "main.go": 'package main\n\nimport (\n\t"github.com/segmentio/kafka-go"\n\t"github.com/spf13/viper"\n)\n\n'
    'func main() {\n\tviper.SetDefault("shop.topic", "shop.orders")\n'
    '\tw := &kafka.Writer{Topic: viper.GetString("shop.topic")}\n'
    '\tw.WriteMessages(nil, kafka.Message{Value: []byte("x")})\n}\n',
}


@pytest.mark.parametrize("files", [NEST, LOADED, INJECTED, VIPER], ids=("section", "loaded", "injected", "default"))
def test_a_setting_is_what_code_declares_if_no_file_sets_it(sends, files) -> None:
    assert topics(sends(files)) == {"shop.orders"}


def test_a_setting_of_a_file_is_before_one_that_code_declares(sends) -> None:
    found = sends({**VIPER, "config.yaml": "shop:\n  topic: shop.orders.eu\n"})

    assert topics(found) == {"shop.orders.eu"}


AGGREGATE = {
    "order.ts": "import { AggregateRoot } from '@nestjs/cqrs';\n"
    "export class Placed { constructor(readonly id: string) {} }\n"
    "export class Order extends AggregateRoot {\n  constructor(readonly id: string) { super(); }\n"
    "  place() { this.apply(new Placed(this.id)); }\n}\n",
    "placed.handler.ts": "import { EventsHandler, IEventHandler } from '@nestjs/cqrs';\n"
    "import { ClientKafka } from '@nestjs/microservices';\nimport { Placed } from './order';\n"
    "@EventsHandler(Placed)\nexport class PlacedHandler implements IEventHandler<Placed> {\n"
    "  constructor(private readonly client: ClientKafka) {}\n"
    "  handle(event: Placed) { this.client.emit('placed', { value: event.id }); }\n}\n",
    "service.ts": "import { Order } from './order';\nexport class Service {\n"
    "  place(id: string) { const order = new Order(id); order.place(); order.commit(); }\n}\n",
}


def test_the_call_that_hands_on_the_events_of_an_aggregate_is_missed(sends) -> None:
    without = {**AGGREGATE, "service.ts": AGGREGATE["service.ts"].replace(" order.commit();", "")}

    assert topics(sends(AGGREGATE)) == {"placed"}
    assert compare(sends(AGGREGATE), sends(without))


def test_members_of_settings_of_pydantic_have_what_the_environment_says(sends) -> None:
    files = {
        "a.py": (
            "from confluent_kafka import Producer\nfrom pydantic_settings import BaseSettings, SettingsConfigDict\n"
            "class Conf(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix='SHOP_')\n"
            "    topic: str = 'orders'\n    least: int = 20\n"
            "conf = Conf()\np = Producer({})\n"
            "def send(n, v):\n    if n > conf.least:\n        p.produce(conf.topic, v)\n"
        ),
    }
    (plain,) = sends(files).contracts
    (given,) = sends(files | {".env": "SHOP_TOPIC=placed\nSHOP_LEAST=5\n"}).contracts
    (same,) = sends(files | {".env": "SHOP_LEAST=20\nTOPIC=other\n"}).contracts
    assert (plain.topics, given.topics) == (("orders",), ("placed",))
    assert plain.guards == same.guards != given.guards
