"""What a program keeps with a library, and takes from it again to send it, is part of what it sends."""

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
    assert any(one.field.endswith(", which is stored and sent later") for one in found)
    assert not any(one.certain for one in found)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_change_beside_what_is_kept_is_none(sends: Callable[..., object], name: str) -> None:
    program = PROGRAMS[name]
    assert compare(sends(program.files), sends(changed(program.files, program.harmless))) == []
