"""What programs send and read through containers of injection, type parameters and settings that code reads."""

from __future__ import annotations


def _topics(found):
    return sorted({topic for one in found.contracts if not one.inner for topic in one.topics})


def _fields(found, topic):
    return sorted({path for one in found.contracts if topic in one.topics for path, _ in one.shape.fields})


def test_an_object_of_a_container_is_chosen_by_its_type_and_its_name(sends):
    found = sends({
        "Config.kt": """
package a
import org.springframework.kafka.core.KafkaTemplate
class Config {
    @Bean
    fun orders(template: KafkaTemplate<String, Any>): Bus<OrderMade> = Bus(template, "orders")
    @Bean
    fun bills(template: KafkaTemplate<String, Any>): Bus<BillMade> = Bus(template, "bills")
    @Bean("audits")
    fun auditBus(template: KafkaTemplate<String, Any>): Bus<Any> = Bus(template, "audit.log")
}
class Bus<T>(private val template: KafkaTemplate<String, Any>, private val topic: String) {
    fun publish(message: T) { template.send(topic, message) }
}
""",
        "Service.kt": """
package a
data class OrderMade(val id: String, val total: Int)
data class BillMade(val number: String)
@Service
class OrderService(private val bus: Bus<OrderMade>, @Qualifier("audits") private val other: Bus<Any>) {
    fun order(id: String) { bus.publish(OrderMade(id, 1)); other.publish(mapOf("who" to id)) }
}
@Service
class BillService(private val bus: Bus<BillMade>) {
    fun bill(id: String) { bus.publish(BillMade(id)) }
}
""",
    })  # fmt: skip

    assert _fields(found, "orders") == ["id", "total"]
    assert _fields(found, "bills") == ["number"]
    assert _fields(found, "audit.log") == ["who"]


def test_a_class_of_providers_makes_what_a_function_is_given(sends):
    found = sends({
        "app/bus.py": """
from confluent_kafka import Consumer, Producer
import json
class Bus:
    def __init__(self, servers):
        self._producer = Producer({"bootstrap.servers": servers})
    def publish(self, topic, value):
        self._producer.produce(topic=topic, value=json.dumps(value))
class Source:
    def __init__(self, topic):
        self._consumer = Consumer({"group.id": "g"})
        self._consumer.subscribe([topic])
    def take(self):
        return json.loads(self._consumer.poll(1.0).value())
class Made:
    def __init__(self, topic, bus):
        self.topic, self.bus = topic, bus
    def send(self, order):
        self.bus.publish(self.topic, {"id": order["id"]})
""",
        "app/di.py": """
from dependency_injector import containers, providers
from pydantic_settings import BaseSettings
from app.bus import Bus, Made, Source
class Settings(BaseSettings):
    made_topic: str = "orders.made"
    paid_topic: str = "orders.paid"
class Inner(containers.DeclarativeContainer):
    config = providers.Configuration(pydantic_settings=[Settings()])
    bus = providers.Singleton(Bus, servers="a")
    source = providers.Singleton(Source, topic=config.paid_topic())
class Application(containers.DeclarativeContainer):
    config = providers.Configuration(pydantic_settings=[Settings()])
    kafka = providers.Container(Inner)
    made = providers.Factory(Made, topic=config.made_topic(), bus=kafka.bus)
""",
        "app/main.py": """
from dependency_injector.wiring import Provide, inject
from app.di import Application
@inject
def main(made = Provide[Application.made], source = Provide[Application.kafka.source]):
    made.send(source.take())
main()
""",
    })  # fmt: skip

    assert _topics(found) == ["orders.made"]
    assert {one.topic for one in found.received} == {"orders.paid"}
    assert {(one.topic, one.path) for one in found.used if one.path} == {("orders.paid", ("id",))}


def test_types_in_brackets_are_followed_through_a_function_of_the_program(sends):
    found = sends({
        "Config.cs": """
using Dafda.Configuration;
public static class Extensions
{
    public static Topic ForTopic(this ConsumerOptions options, string topic) { return new Topic(options, topic); }
    public static Sender ForTopic(this OutboxOptions options, string topic) { return new Sender(options, topic); }
    public class Topic
    {
        private readonly ConsumerOptions _options;
        private readonly string _topic;
        public Topic(ConsumerOptions options, string topic) { _options = options; _topic = topic; }
        public Topic Handle<TMessage, THandler>(string type)
        {
            _options.RegisterMessageHandler<TMessage, THandler>(_topic, type);
            return this;
        }
    }
    public class Sender
    {
        private readonly OutboxOptions _options;
        private readonly string _topic;
        public Sender(OutboxOptions options, string topic) { _options = options; _topic = topic; }
        public Sender Sends<TMessage>(string type)
        {
            _options.Register<TMessage>(_topic, type, x => "");
            return this;
        }
    }
}
public class OrderMade { public string OrderId { get; set; } }
public class OrderPaid { public string PaidBy { get; set; } }
public class OrderLost { public string Reason { get; set; } }
public class PaidHandler : IMessageHandler<OrderPaid>
{
    public void Handle(OrderPaid message, MessageHandlerContext context) { Console.WriteLine(message.PaidBy); }
}
public class LostHandler : IMessageHandler<OrderLost>
{
    public void Handle(OrderLost message, MessageHandlerContext context) { Console.WriteLine(message.Reason); }
}
public class Config
{
    public void Add(IServiceCollection services)
    {
        services.AddOutbox(options => { options.ForTopic("shop.orders").Sends<OrderMade>("made"); });
        services.AddConsumer(options =>
        {
            options.ForTopic("shop.payments").Handle<OrderPaid, PaidHandler>("paid");
            options.ForTopic("shop.losses").Handle<OrderLost, LostHandler>("lost");
        });
    }
}
""",
    })  # fmt: skip

    assert _fields(found, "shop.orders") == ["orderId"]
    assert {(one.topic, one.path) for one in found.used if one.path} == {
        ("shop.payments", ("paidBy",)),
        ("shop.losses", ("reason",)),
    }


def test_a_variable_of_a_file_has_the_value_of_each_way(sends):
    code = """
import os
from kafka import KafkaProducer
if os.getenv("OPERATOR"):
    TOPIC = Topics["a"].name
else:
    TOPIC = os.getenv("TOPIC", "events")
def send(value):
    KafkaProducer().send(TOPIC, {"id": value})
"""
    assert _topics(sends({"app.py": code})) == ["events"]


def test_what_code_reads_from_a_file_of_settings_is_the_settings(sends):
    found = sends({
        "config.yml": "kafka:\n  audit:\n    topic: audit.events\n",
        "app.py": """
import operator, os, yaml
from functools import reduce
from kafka import KafkaProducer
class Config:
    def __init__(self):
        with open(os.path.join("conf", "config.yml")) as file:
            self.values = yaml.safe_load(file)
    def find(self, path):
        return reduce(operator.getitem, path.split("."), self.values)
def send(value):
    KafkaProducer().send("dev." + Config().find("kafka.audit.topic"), {"id": value})
""",
    })  # fmt: skip

    assert _topics(found) == ["dev.audit.events"]


def test_functions_of_a_library_are_methods_of_what_they_are_given_first(sends):
    code = """
import _ from "lodash"
import { Kafka } from "kafkajs"
const config = { env: process.env.stage || "local", audit: { topic: `${process.env.stage || "local"}.audit` } }
const producer = new Kafka({ clientId: "a" }).producer()
export const audit = (who: string) => {
  const event = { who, at: {} }
  _.set(event, "at.time", Date.now())
  producer.send({ topic: _.get(config, "audit.topic"), messages: [{ value: JSON.stringify(event) }] })
}
"""
    found = sends({"app.ts": code})

    assert _topics(found) == ["${stage:local}.audit"]
    assert _fields(found, "${stage:local}.audit") == ["at.time", "who"]


def test_a_lambda_of_kotlin_sets_members_of_what_a_library_builds(sends):
    code = """
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.clients.producer.ProducerRecord
import lib.notes.NoteBuilder
class Notes {
    private val producer = KafkaProducer<String, String>(mapOf())
    fun send(who: String, sms: Boolean) {
        val note = NoteBuilder.create {
            recipient = who
            text = Text(language = "nb", content = "hello")
            if (sms) { channel { kind = "SMS" } }
        }
        producer.send(ProducerRecord("notes", who, note))
    }
}
"""
    found = sends({"Notes.kt": code})

    assert _fields(found, "notes") == ["channel.kind", "recipient", "text.content", "text.language"]


def test_a_loop_over_an_object_takes_what_its_method_returns(sends):
    code = """
import json
from confluent_kafka import Consumer
class Events:
    def __init__(self):
        self.consumer = Consumer({"group.id": "g"})
        self.consumer.subscribe(["orders"])
    def __iter__(self):
        return self
    def __next__(self):
        return self.consumer.poll()
    def run(self):
        for message in iter(self):
            print(json.loads(message.value())["total"])
Events().run()
"""
    assert {(one.topic, one.path) for one in sends({"app.py": code}).used if one.path} == {("orders", ("total",))}


def test_a_function_that_an_unknown_client_gets_with_a_topic_is_given_its_records(sends):
    code = """
package main
import ("context"; "encoding/json"; "github.com/acme/shared/pkg/kafka"; "github.com/acme/shared/pkg/payloads")
type Data struct { Name string `json:"eventName"` }
type Reader struct {}
func (r *Reader) Run() error {
	config := kafka.Config{Topic: "contracts"}
	return kafka.Consume[*payloads.Event[json.RawMessage]](context.Background(), config, r.process, nil)
}
func (r *Reader) process(ctx context.Context, event *payloads.Event[json.RawMessage]) error {
	if event.Type != "x" { return nil }
	var data Data
	if err := json.Unmarshal(event.Data, &data); err != nil { return err }
	save(data.Name)
	return nil
}
"""
    found = sends({"main.go": code})

    assert {one.topic for one in found.received} == {"contracts"}
    assert {(one.topic, one.path) for one in found.used if one.path} == {
        ("contracts", ("Type",)),
        ("contracts", ("Data",)),
    }


def test_an_object_that_a_call_fills_is_not_what_a_container_provides(sends):
    code = """
package main
import ("encoding/json"; "github.com/IBM/sarama")
type Meta struct { Id int }
type Row struct { Data Raw }
func send(row *lib.Row, producer sarama.SyncProducer) error {
	var meta Meta
	if err := row.Data.Unmarshal(&meta); err != nil { return err }
	b, _ := json.Marshal(meta)
	_, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: "metas", Value: sarama.ByteEncoder(b)})
	return err
}
"""
    assert _topics(sends({"main.go": code})) == ["metas"]


def test_a_class_that_a_file_imports_from_a_library_is_not_one_of_the_program(sends):
    found = sends({
        "app/core.py": "class Consumer:\n    def take(self):\n        raise NotImplementedError\n",
        "app/main.py": """
from confluent_kafka import Consumer
consumer = Consumer({"group.id": "g"})
consumer.subscribe(["orders"])
print(consumer.poll(1.0).value())
""",
    })  # fmt: skip

    assert {one.topic for one in found.received} == {"orders"}
