"""What a library is given to keep it, or to call what sends because of it, is part of what a program sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from scanner_programs.compare import compare


class Kept(NamedTuple):
    """A program that keeps records before it sends them, with an edit of what it keeps and one of what it answers."""

    files: Mapping[str, str]
    edit: tuple[str, str]
    harmless: tuple[str, str]


PROGRAMS = {
    "Java, a repository of Spring": Kept(
        {
            "Outbox.java": """
import org.springframework.data.jpa.repository.JpaRepository;
public interface Outbox extends JpaRepository<OutboxRow, Long> { List<OutboxRow> findByStatus(String status); }
""",
            "OutboxRow.java": """
public class OutboxRow {
    private String payload; private String status;
    public void setPayload(String payload) { this.payload = payload; }
    public String getPayload() { return payload; }
    public void setStatus(String status) { this.status = status; }
}
""",
            "Checkout.java": """
@Service
public class Checkout {
    private final Outbox outbox;
    public Checkout(Outbox outbox) { this.outbox = outbox; }
    public Answer pay(Order order) {
        OutboxRow row = new OutboxRow();
        row.setPayload("paid " + order.getNumber());
        row.setStatus("NEW");
        outbox.save(row);
        return new Answer("accepted");
    }
}
""",
            "Relay.java": """
import org.springframework.kafka.core.KafkaTemplate;
@Component
public class Relay {
    private final KafkaTemplate<String, String> kafka;
    private final Outbox outbox;
    public Relay(KafkaTemplate<String, String> kafka, Outbox outbox) { this.kafka = kafka; this.outbox = outbox; }
    @Scheduled(fixedDelay = 500)
    public void send() {
        for (OutboxRow row : outbox.findByStatus("NEW")) { kafka.send("payments", row.getPayload()); }
    }
}
""",
        },
        ('"paid " + order.getNumber()', '"paid"'),
        ('"accepted"', '"done"'),
    ),
    "C#, a set of a database context": Kept(
        {
            "Note.cs": "public class Note { public string Body { get; set; } public bool Sent { get; set; } }",
            "Shop.cs": """
using Microsoft.EntityFrameworkCore;
public class Shop : DbContext { public DbSet<Note> Notes { get; set; } }
""",
            "Writer.cs": """
public class Writer {
    private readonly Shop _shop;
    public Writer(Shop shop) { _shop = shop; }
    public async Task<string> Add(Purchase purchase) {
        var note = new Note { Body = purchase.Code, Sent = false };
        _shop.Notes.Add(note);
        await _shop.SaveChangesAsync();
        return "created";
    }
}
""",
            "Relay.cs": """
using Confluent.Kafka;
public class Relay {
    private readonly Shop _shop;
    private readonly IProducer<string, string> _producer;
    public Relay(Shop shop, IProducer<string, string> producer) { _shop = shop; _producer = producer; }
    public async Task Run() {
        foreach (var note in _shop.Notes.Where(n => !n.Sent)) {
            await _producer.ProduceAsync("purchases", new Message<string, string> { Value = note.Body });
        }
    }
}
""",
        },
        ("Body = purchase.Code", "Body = purchase.Name"),
        ('"created"', '"added"'),
    ),
    "Go, rows of gorm": Kept(
        {
            "rows.go": """
package shop
type Row struct { ID int64; Body string; Sent bool }
""",
            "accept.go": """
package shop
import "gorm.io/gorm"
type Accept struct { db *gorm.DB }
func (a *Accept) Order(code string) (string, error) {
	row := Row{Body: "order " + code}
	if err := a.db.Create(&row).Error; err != nil { return "", err }
	return "accepted", nil
}
""",
            "relay.go": """
package shop
import (
	"context"
	"gorm.io/gorm"
	"github.com/segmentio/kafka-go"
)
type Relay struct { db *gorm.DB; writer *kafka.Writer }
func NewRelay(db *gorm.DB) *Relay { return &Relay{db: db, writer: &kafka.Writer{Topic: "orders"}} }
func (r *Relay) Run(ctx context.Context) error {
	var rows []Row
	if err := r.db.Where("sent = ?", false).Find(&rows).Error; err != nil { return err }
	for _, row := range rows {
		if err := r.writer.WriteMessages(ctx, kafka.Message{Value: []byte(row.Body)}); err != nil { return err }
	}
	return nil
}
""",
        },
        ('"order " + code', "code"),
        ('"accepted"', '"taken"'),
    ),
    "Kotlin, documents of MongoDB": Kept(
        {
            "Parcel.kt": "@Document\ndata class Parcel(val code: String, val weight: Int)",
            "Parcels.kt": """
import org.springframework.data.mongodb.repository.MongoRepository
interface Parcels : MongoRepository<Parcel, String> { fun findByWeight(weight: Int): List<Parcel> }
""",
            "Intake.kt": """
@RestController
class Intake(private val parcels: Parcels) {
    @PostMapping("/parcels")
    fun take(request: Request): String {
        parcels.insert(Parcel(code = request.code, weight = request.weight))
        return "taken"
    }
}
""",
            "Relay.kt": """
import org.springframework.kafka.core.KafkaTemplate
@Component
class Relay(private val kafka: KafkaTemplate<String, Parcel>, private val parcels: Parcels) {
    @Scheduled(cron = "0 * * * * *")
    fun send() = parcels.findByWeight(0).forEach { kafka.send("parcels", it) }
}
""",
        },
        ("weight = request.weight", "weight = request.weight / 1000"),
        ('"taken"', '"accepted"'),
    ),
    "TypeScript, a repository of TypeORM": Kept(
        {
            "letter.ts": """
import { Entity, Column } from 'typeorm';
@Entity()
export class Letter { @Column() text: string; @Column() sent: boolean; }
""",
            "post.ts": """
import { Repository } from 'typeorm';
import { Letter } from './letter';
export class Post {
  constructor(private readonly letters: Repository<Letter>) {}
  async write(request: Request): Promise<string> {
    const letter = new Letter();
    letter.text = `Dear ${request.name}`;
    letter.sent = false;
    await this.letters.save(letter);
    return 'written';
  }
}
""",
            "relay.ts": """
import { Kafka, Producer } from 'kafkajs';
import { Repository } from 'typeorm';
import { Letter } from './letter';
export class Relay {
  constructor(private readonly letters: Repository<Letter>, private readonly producer: Producer) {}
  async run(): Promise<void> {
    const listed = await this.letters.find({ where: { sent: false } });
    for (const letter of listed) {
      await this.producer.send({ topic: 'letters', messages: [{ value: letter.text }] });
    }
  }
}
""",
        },
        ("`Dear ${request.name}`", "`Dear customer`"),
        ("'written'", "'done'"),
    ),
    "Python, a session of SQLAlchemy": Kept(
        {
            "models.py": """
from sqlalchemy.orm import DeclarativeBase, Mapped
class Base(DeclarativeBase): ...
class Visit(Base):
    page: Mapped[str]
    sent: Mapped[bool]
""",
            "intake.py": """
from sqlalchemy.orm import Session
from models import Visit
class Intake:
    def __init__(self, session: Session) -> None:
        self.session = session
    def visited(self, page: str) -> str:
        self.session.add(Visit(page=page.lower(), sent=False))
        self.session.commit()
        return "counted"
""",
            "relay.py": """
from confluent_kafka import Producer
from sqlalchemy.orm import Session
from models import Visit
class Relay:
    def __init__(self, session: Session, producer: Producer) -> None:
        self.session, self.producer = session, producer
    def run(self) -> None:
        for visit in self.session.query(Visit).filter_by(sent=False).all():
            self.producer.produce("visits", value=visit.page)
""",
        },
        ("page=page.lower()", "page=page"),
        ('"counted"', '"seen"'),
    ),
    "JavaScript, a model of mongoose": Kept(
        {
            "task.js": """
const mongoose = require('mongoose');
const schema = new mongoose.Schema({ title: String, done: Boolean });
module.exports = mongoose.model('Task', schema);
""",
            "add.js": """
const Task = require('./task');
async function add(req, res) {
  await Task.create({ title: req.body.title, done: false });
  res.json({ message: 'added' });
}
module.exports = { add };
""",
            "relay.js": """
const { Kafka } = require('kafkajs');
const Task = require('./task');
const producer = new Kafka({ clientId: 'tasks' }).producer();
async function relay() {
  const listed = await Task.find({ done: false });
  for (const task of listed) {
    await producer.send({ topic: 'tasks', messages: [{ value: task.title }] });
  }
}
module.exports = { relay };
""",
        },
        ("title: req.body.title", "title: req.body.name"),
        ("'added'", "'created'"),
    ),
    "TypeScript, a client of Prisma": Kept(
        {
            "seats.ts": """
import { PrismaClient } from '@prisma/client';
export class Seats {
  constructor(private readonly prisma: PrismaClient) {}
  async book(request: Booking): Promise<string> {
    await this.prisma.seat.upsert({ where: { id: request.id }, create: { row: request.row }, update: {} });
    return 'booked';
  }
}
""",
            "relay.ts": """
import { Producer } from 'kafkajs';
import { PrismaClient } from '@prisma/client';
export class Relay {
  constructor(private readonly prisma: PrismaClient, private readonly producer: Producer) {}
  async run() {
    const seats = await this.prisma.seat.findMany({ where: { sent: false } });
    await this.producer.send({ topic: 'seats', messages: seats.map(one => ({ value: JSON.stringify(one) })) });
  }
}
""",
        },
        ("row: request.row", "row: request.row + 1"),
        ("'booked'", "'done'"),
    ),
    "Python, models of Django": Kept(
        {
            "models.py": """
from django.db import models
class Reading(models.Model):
    meter = models.CharField(max_length=20)
    value = models.IntegerField()
""",
            "views.py": """
from models import Reading
def store(request):
    Reading.objects.create(meter=request.POST["meter"], value=request.POST["value"])
    return "stored"
""",
            "relay.py": """
import json
from kafka import KafkaProducer
from models import Reading
producer = KafkaProducer(bootstrap_servers="kafka:9092")
def relay():
    for one in Reading.objects.filter(value=0):
        producer.send("readings", json.dumps({"meter": one.meter}).encode())
""",
        },
        ('meter=request.POST["meter"]', 'meter=request.POST["number"]'),
        ('"stored"', '"ok"'),
    ),
    "Python, an object of Django that saves itself": Kept(
        {
            "models.py": """
from django.db import models
class Reading(models.Model):
    meter = models.CharField(max_length=20)
""",
            "views.py": """
from models import Reading
def store(request):
    reading = Reading(meter=request.POST["meter"])
    reading.save()
    return "stored"
""",
            "relay.py": """
from kafka import KafkaProducer
from models import Reading
producer = KafkaProducer(bootstrap_servers="kafka:9092")
def relay():
    for one in Reading.objects.all():
        producer.send("readings", one.meter.encode())
""",
        },
        ('meter=request.POST["meter"]', 'meter=request.POST["number"]'),
        ('"stored"', '"ok"'),
    ),
    "Go, statements of SQL": Kept(
        {
            "accept.go": """
package shop
import "database/sql"
type Accept struct { db *sql.DB }
func (a *Accept) Order(code string) (string, error) {
	_, err := a.db.Exec("INSERT INTO orders_outbox (body, sent) VALUES ($1, false)", "order "+code)
	return "accepted", err
}
""",
            "relay.go": """
package shop
import (
	"context"
	"database/sql"
	"github.com/segmentio/kafka-go"
)
type Relay struct { db *sql.DB; writer *kafka.Writer }
func NewRelay(db *sql.DB) *Relay { return &Relay{db: db, writer: &kafka.Writer{Topic: "orders"}} }
func (r *Relay) Run(ctx context.Context) error {
	rows, err := r.db.Query("SELECT body FROM orders_outbox WHERE NOT sent")
	if err != nil { return err }
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil { return err }
		if err := r.writer.WriteMessages(ctx, kafka.Message{Value: []byte(body)}); err != nil { return err }
	}
	return nil
}
""",
        },
        ('"order "+code', "code"),
        ('"accepted"', '"taken"'),
    ),
    "Java, statements of a JdbcTemplate": Kept(
        {
            "Store.java": """
import org.springframework.jdbc.core.JdbcTemplate;
@Service
public class Store {
    private final JdbcTemplate jdbc;
    public Store(JdbcTemplate jdbc) { this.jdbc = jdbc; }
    public String add(Bill bill) {
        jdbc.update("insert into bills (number, amount) values (?, ?)", bill.getNumber(), bill.getAmount());
        return "added";
    }
}
""",
            "Relay.java": """
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;
@Component
public class Relay {
    private final JdbcTemplate jdbc;
    private final KafkaTemplate<String, String> kafka;
    public Relay(JdbcTemplate jdbc, KafkaTemplate<String, String> kafka) { this.jdbc = jdbc; this.kafka = kafka; }
    public void send() {
        for (String number : jdbc.queryForList("select number from bills where sent = false", String.class)) {
            kafka.send("bills", number);
        }
    }
}
""",
        },
        ("bill.getNumber(), bill", "bill.getCode(), bill"),
        ('"added"', '"done"'),
    ),
    "Java, a text of an object whose class says its names": Kept(
        {
            "Outbox.java": """
import org.springframework.data.jpa.repository.JpaRepository;
public interface Outbox extends JpaRepository<OutboxRow, Long> { List<OutboxRow> findBySent(boolean sent); }
""",
            "OutboxRow.java": "public record OutboxRow(String payload, boolean sent) {}",
            "Shipped.java": 'public record Shipped(@JsonProperty("parcel") String code) {}',
            "Depot.java": """
import com.fasterxml.jackson.databind.ObjectMapper;
@Service
public class Depot {
    private final Outbox outbox;
    private final ObjectMapper mapper;
    public Depot(Outbox outbox, ObjectMapper mapper) { this.outbox = outbox; this.mapper = mapper; }
    public String ship(String code) {
        outbox.save(new OutboxRow(mapper.writeValueAsString(new Shipped(code)), false));
        return "shipped";
    }
}
""",
            "Relay.java": """
import org.springframework.kafka.core.KafkaTemplate;
@Component
public class Relay {
    private final KafkaTemplate<String, String> kafka;
    private final Outbox outbox;
    public Relay(KafkaTemplate<String, String> kafka, Outbox outbox) { this.kafka = kafka; this.outbox = outbox; }
    public void send() {
        for (OutboxRow row : outbox.findBySent(false)) { kafka.send("shipments", row.payload()); }
    }
}
""",
        },
        ('@JsonProperty("parcel")', '@JsonProperty("code")'),
        ('"shipped"', '"done"'),
    ),
    "Kotlin, a queue of records with their topics": Kept(
        {
            "Queue.kt": """
import org.apache.kafka.clients.producer.ProducerRecord
class Queue(private val database: Database) {
    fun put(topic: String, value: String) {
        database.update { queryOf("insert into queue(topic, value) values (?, ?)", topic, value) }
    }
    fun next(): List<Entry> = database.list {
        queryOf("select topic, value from queue").map { row -> Entry(row.string("topic"), row.string("value")) }
    }
    data class Entry(val topic: String, val value: String) { fun record() = ProducerRecord(topic, value) }
}
""",
            "Alarms.kt": """
class Alarms(private val queue: Queue) {
    fun rung(alarm: Alarm): String {
        queue.put("alarms", alarm.name.uppercase())
        return "rung"
    }
}
""",
            "Worker.kt": """
import org.apache.kafka.clients.producer.Producer
class Worker(private val queue: Queue, private val producer: Producer<String, String>) {
    fun work() {
        producer.batched(15) { queue.next().forEach { hand(it.record()) } }
    }
}
""",
        },
        ("alarm.name.uppercase()", "alarm.name"),
        ('return "rung"', 'return "done"'),
    ),
}


def changed(files: Mapping[str, str], edit: tuple[str, str]) -> dict[str, str]:
    assert sum(edit[0] in text for text in files.values()) == 1
    return {path: text.replace(*edit) for path, text in files.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_change_of_what_is_kept_is_a_change_of_what_is_sent(sends: Callable[..., object], name: str) -> None:
    program = PROGRAMS[name]
    found = compare(sends(program.files), sends(changed(program.files, program.edit)))
    assert any(one.field.endswith((", which is sent later", " hands over")) for one in found)
    assert not any(one.certain for one in found)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_change_beside_what_is_kept_is_none(sends: Callable[..., object], name: str) -> None:
    program = PROGRAMS[name]
    assert compare(sends(program.files), sends(changed(program.files, program.harmless))) == []


JAVA_RELAY = """
import org.apache.kafka.clients.producer.*;
{imports}
public class Relay {{
    private final Producer<String, String> producer;
    public Relay(Producer<String, String> producer) {{ this.producer = producer; }}
    {head}
        producer.send(new ProducerRecord<>("payments", paid.id(), Json.write(paid)));
    }}
}}
"""
PAID = "public record Paid(String id, int sum) {}"
PYTHON_RELAY = """
import json
from confluent_kafka import Producer
{imports}
producer = Producer({{"bootstrap.servers": "broker:9092"}})


{head}
    producer.produce("payments", key=paid.id, value=json.dumps({{"id": paid.id, "sum": paid.sum}}))
{rest}
"""
KAFKAJS_RELAY = """
import {{ Kafka }} from 'kafkajs';
{imports}
const producer = new Kafka({{ brokers: ['broker:9092'] }}).producer();
{head}
    producer.send({{ topic: 'payments', messages: [{{ key: paid.id, value: JSON.stringify({{ sum: paid.sum }}) }}] }});
{rest}
"""
TRIGGERS = {
    "Java, a listener with a note": Kept(
        {
            "Paid.java": PAID,
            "Relay.java": JAVA_RELAY.format(
                imports="import com.acme.bus.Hears;", head="@Hears\n    public void on(Paid paid) {"
            ),
            "Checkout.java": """
import com.acme.bus.Bus;
public class Checkout {
    private final Bus bus;
    public Checkout(Bus bus) { this.bus = bus; }
    public String pay(String id, int sum) {
        bus.tell(new Paid(id, sum));
        return "accepted";
    }
}
""",
        },
        ("        bus.tell(new Paid(id, sum));\n", ""),
        ('"accepted"', '"done"'),
    ),
    "Java, the name of a queue": Kept(
        {
            "Paid.java": PAID,
            "Relay.java": JAVA_RELAY.format(
                imports="import jakarta.jms.*;",
                head='public void start(Bus bus) { bus.<Paid>consumer("paid", one -> on(one.body())); }\n'
                "    void on(Paid paid) {",
            ),
            "Checkout.java": """
import io.vertx.core.eventbus.EventBus;
public class Checkout {
    private final EventBus bus;
    public Checkout(EventBus bus) { this.bus = bus; }
    public String pay(Order order) {
        bus.publish("paid", order.paid());
        return "accepted";
    }
}
""",
        },
        ("order.paid()", "order.refunded()"),
        ('"accepted"', '"done"'),
    ),
    "Kotlin, a stream that is shared": Kept(
        {
            "Relay.kt": """
import kotlinx.coroutines.flow.SharedFlow
import org.apache.kafka.clients.producer.*
data class Paid(val id: String, val sum: Int)
class Relay(private val producer: Producer<String, String>) {
    suspend fun run(flow: SharedFlow<Paid>) { flow.collect { on(it) } }
    fun on(paid: Paid) { producer.send(ProducerRecord("payments", paid.id, Json.encodeToString(paid))) }
}
""",
            "Checkout.kt": """
import kotlinx.coroutines.flow.MutableSharedFlow
class Checkout(private val flow: MutableSharedFlow<Paid>) {
    suspend fun pay(id: String, sum: Int): String {
        flow.emit(Paid(id, sum))
        return "accepted"
    }
}
""",
        },
        ("Paid(id, sum))", "Paid(id, 0))"),
        ('"accepted"', '"done"'),
    ),
    "Python, a signal that a note names": Kept(
        {
            "shop/__init__.py": "",
            "shop/signals.py": "from django.dispatch import Signal\n\npaid_now = Signal()\n",
            "shop/relay.py": PYTHON_RELAY.format(
                imports="from django.dispatch import receiver\nfrom shop.signals import paid_now",
                head="@receiver(paid_now)\ndef relay(sender, paid, **others):",
                rest="",
            ),
            "shop/checkout.py": """
from shop.signals import paid_now


def pay(paid):
    paid_now.send(sender=None, paid=paid)
    return "accepted"
""",
        },
        ("    paid_now.send(sender=None, paid=paid)\n", ""),
        ('"accepted"', '"done"'),
    ),
    "Python, a function that is registered": Kept(
        {
            "shop/__init__.py": "",
            "shop/signals.py": 'from blinker import signal\n\npaid_now = signal("paid")\n',
            "shop/relay.py": PYTHON_RELAY.format(
                imports="from shop.signals import paid_now", head="def relay(paid):", rest="\npaid_now.connect(relay)"
            ),
            "shop/checkout.py": """
from shop.signals import paid_now


def pay(paid):
    paid_now.send(paid)
    return "accepted"
""",
        },
        ("    paid_now.send(paid)\n", ""),
        ('"accepted"', '"done"'),
    ),
    "Python, a task": Kept(
        {
            "shop/__init__.py": "",
            "shop/relay.py": PYTHON_RELAY.format(
                imports="from celery import shared_task", head="@shared_task\ndef relay(paid):", rest=""
            ),
            "shop/checkout.py": """
from shop.relay import relay


def pay(paid):
    relay.delay(paid)
    return "accepted"
""",
        },
        ("    relay.delay(paid)\n", ""),
        ('"accepted"', '"done"'),
    ),
    "TypeScript, a worker of a queue": Kept(
        {
            "src/relay.ts": KAFKAJS_RELAY.format(
                imports="import { Worker } from 'bullmq';",
                head="new Worker('paid', async (job) => {\n    const paid = job.data;",
                rest="});",
            ),
            "src/checkout.ts": """
import { Queue } from 'bullmq';

const queue = new Queue('paid');
export async function pay(paid: Paid) {
  await queue.add('paid', paid);
  return 'accepted';
}
""",
        },
        ("  await queue.add('paid', paid);\n", ""),
        ("'accepted'", "'done'"),
    ),
    "TypeScript, a name in a note": Kept(
        {
            "src/relay.ts": KAFKAJS_RELAY.format(
                imports="import { OnEvent } from '@nestjs/event-emitter';",
                head="export class Relay {\n  @OnEvent('paid')\n  on(paid: Paid) {",
                rest="  }\n}",
            ),
            "src/checkout.ts": """
import { EventEmitter2 } from '@nestjs/event-emitter';

export class Checkout {
  constructor(private readonly emitter: EventEmitter2) {}
  pay(paid: Paid) {
    this.emitter.emit('paid', paid);
    return 'accepted';
  }
}
""",
        },
        ("    this.emitter.emit('paid', paid);\n", ""),
        ("'accepted'", "'done'"),
    ),
    "Go, a bus of the program": Kept(
        {
            "relay.go": """
package main

import "github.com/segmentio/kafka-go"

type Relay struct{ writer *kafka.Writer }

func (r *Relay) On(paid Paid) { r.writer.WriteMessages(nil, kafka.Message{Value: encode(paid)}) }
""",
            "bus.go": """
package main

type Bus struct{ handlers map[string][]func(Paid) }

func (b *Bus) On(name string, f func(Paid)) { b.handlers[name] = append(b.handlers[name], f) }

func (b *Bus) Emit(name string, paid Paid) {
	for _, f := range b.handlers[name] {
		f(paid)
	}
}
""",
            "main.go": """
package main

import "github.com/segmentio/kafka-go"

func main() {
	bus := &Bus{handlers: map[string][]func(Paid){}}
	bus.On("paid", (&Relay{writer: &kafka.Writer{Topic: "payments"}}).On)
	(&Checkout{bus: bus}).Pay(Paid{})
}
""",
            "checkout.go": """
package main

type Paid struct{ ID string }

type Checkout struct{ bus *Bus }

func (c *Checkout) Pay(paid Paid) string {
	c.bus.Emit("paid", paid)
	return "accepted"
}
""",
        },
        ('	c.bus.Emit("paid", paid)\n', ""),
        ('"accepted"', '"done"'),
    ),
    "C#, a channel": Kept(
        {
            "Relay.cs": """
using System.Threading.Channels;
using Confluent.Kafka;
public record Paid(string Id, int Sum);
public class Relay(IProducer<string, string> producer)
{
    public async Task Run(ChannelReader<Paid> reader) { await foreach (var paid in reader.ReadAllAsync()) On(paid); }
    private void On(Paid paid)
    {
        producer.Produce("payments", new Message<string, string> { Key = paid.Id, Value = Json.Write(paid) });
    }
}
""",
            "Checkout.cs": """
using System.Threading.Channels;
public class Checkout(Channel<Paid> channel)
{
    public async Task<string> Pay(string id, int sum)
    {
        await channel.Writer.WriteAsync(new Paid(id, sum));
        return "accepted";
    }
}
""",
        },
        ("        await channel.Writer.WriteAsync(new Paid(id, sum));\n", ""),
        ('"accepted"', '"done"'),
    ),
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_what_a_library_calls_code_because_of_is_part_of_what_that_sends(
    sends: Callable[..., object], name: str
) -> None:
    program = TRIGGERS[name]
    found = compare(sends(program.files), sends(changed(program.files, program.edit)))
    assert any(one.topics == ("payments",) for one in found)


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_change_beside_what_a_library_is_given_is_none(sends: Callable[..., object], name: str) -> None:
    program = TRIGGERS[name]
    assert compare(sends(program.files), sends(changed(program.files, program.harmless))) == []


def test_what_is_logged_is_not_given_to_what_handles_it(sends: Callable[..., object]) -> None:
    files = {
        "src/paid.ts": "export class Paid { constructor(readonly id: string) {} }\n",
        "src/relay.ts": KAFKAJS_RELAY.format(
            imports="import { EventsHandler, IEventHandler } from '@nestjs/cqrs';\nimport { Paid } from './paid';",
            head="@EventsHandler(Paid)\nexport class Relay implements IEventHandler<Paid> {\n  handle(paid: Paid) {",
            rest="  }\n}",
        ),
        "src/checkout.ts": """
import { Logger } from '@nestjs/common';
import { EventBus } from '@nestjs/cqrs';
import { Paid } from './paid';

export class Checkout {
  private readonly logger = new Logger('checkout');
  constructor(private readonly bus: EventBus) {}
  pay(id: string) {
    this.bus.publish(new Paid(id));
  }
}
""",
    }
    found = compare(sends(files), sends(changed(files, ("this.bus.publish(", "this.logger.debug("))))
    assert [one.aspect for one in found if one.topics == ("payments",)] == ["gone"]
