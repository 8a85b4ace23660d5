"""What is particular to Rust: values that are made late, results with failures, macros that declare, and variants."""

from __future__ import annotations

import pytest

from scanner_programs.compare import compare

SENDER = """
use rdkafka::producer::{FutureProducer, FutureRecord};
%s
async fn send(producer: &FutureProducer, body: &str) {
    producer.send(FutureRecord::to(%s).key("k").payload(body), Duration::from_secs(0)).await;
}
"""


@pytest.mark.parametrize(
    ("declared", "used"),
    [
        ('lazy_static! { static ref NAME: String = env::var("NAME").unwrap_or("parcels".to_string()); }', "&NAME"),
        ('static NAME: LazyLock<String> = LazyLock::new(|| format!("{}", "parcels"));', "&NAME"),
        ('static NAME: once_cell::sync::Lazy<String> = once_cell::sync::Lazy::new(named);\n'
         'fn named() -> String { "parcels".into() }', "NAME.as_str()"),
        ('thread_local! { static NAME: &str = "parcels"; }', "NAME"),
    ],
    ids=["lazy_static", "LazyLock", "function", "thread_local"],
)  # fmt: skip
def test_a_topic_that_is_made_when_it_is_first_asked_for_is_known(sends, declared: str, used: str) -> None:
    assert [one.topics for one in sends({"a.rs": SENDER % (declared, used)}).contracts] == [("parcels",)]


RELAY = """
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::producer::{FutureProducer, FutureRecord};
#[derive(Deserialize)]
struct Parcel { #[serde(rename = "parcelId")] id: String, weight: u32, kind: Kind }
enum Kind { Box, Letter }
enum Inbound { Parcel(Parcel), Heartbeat { at: i64 } }
#[derive(Serialize)]
struct Label { parcel: String, heavy: bool }
async fn run(consumer: StreamConsumer, producer: FutureProducer) -> Result<(), Failure> {
    consumer.subscribe(&["parcels"])?;
    loop {
        let message = consumer.recv().await?;
        match read(&message)? {
            Inbound::Parcel(parcel) => {
                let label = label_of(parcel).instrument(info_span!("label")).await?;
                let body = serde_json::to_string(&label)?;
                producer.send(FutureRecord::to("labels").key("k").payload(&body), Duration::from_secs(0)).await?;
            }
            Inbound::Heartbeat { .. } => {}
        }
    }
}
fn read(message: &BorrowedMessage<'_>) -> Result<Inbound, Failure> {
    let text = message.payload().ok_or(Failure::Empty)?;
    if text.is_empty() { return Err(Failure::Empty); }
    Ok(Inbound::Parcel(serde_json::from_slice::<Parcel>(text)?))
}
async fn label_of(parcel: Parcel) -> Result<Label, Failure> {
    match parcel.kind {
        Kind::Box => Ok(Label { parcel: parcel.id, heavy: parcel.weight > 20 }),
        Kind::Letter => Err(Failure::Kind("letter".to_string())),
    }
}
"""


def test_a_failure_is_no_part_of_what_is_sent(sends) -> None:
    """What follows `?` only has the value of a result, under the condition that there is one."""
    found = sends({"a.rs": RELAY})
    fields = {path: part.text for one in found.contracts for path, part in one.shape.fields}

    assert fields.keys() == {"parcel", "heavy"}
    assert not any("Err" in text for text in fields.values())
    assert {(".".join(one.field), one.target) for one in found.passed if one.field} >= {
        ("parcelId", "parcel"),
        ("weight", "heavy"),
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kind::Box => Ok", "Kind::Letter => Ok"),
        ("if text.is_empty()", "if text.len() < 9"),
        ("parcel.weight > 20", "parcel.weight > 30"),
    ],
)
def test_the_condition_of_a_failure_decides_what_is_sent(sends, old: str, new: str) -> None:
    assert compare(sends({"a.rs": RELAY}), sends({"a.rs": RELAY.replace(old, new)})) != []


def test_a_name_alone_means_a_struct_and_not_a_variant_of_another_file(sends) -> None:
    files = {
        "events.rs": "#[derive(Serialize)]\npub struct Note { pub id: String }\n",
        "failure.rs": "pub enum Failure { String(Inner), Other }\npub struct Inner { pub code: i32 }\n",
        "main.rs": "use crate::events::Note;\n"
        + SENDER.replace("body: &str", "id: String").replace("payload(body)", "payload(&written(id))")
        % ("fn written(id: String) -> String { serde_json::to_string(&Note { id }).unwrap() }", '"notes"'),
    }
    assert {path for one in sends(files).contracts for path, _ in one.shape.fields} == {"id"}


def test_what_a_decoder_says_beside_the_value_is_no_field(sends) -> None:
    code = """
use rdkafka::consumer::{Consumer, StreamConsumer};
use schema_registry_converter::avro_common::DecodeResult;
#[derive(Deserialize)]
struct Parcel { weight: u32 }
async fn run(consumer: StreamConsumer, decoder: AvroDecoder) {
    consumer.subscribe(&["parcels"]).unwrap();
    let message = consumer.recv().await.unwrap();
    let DecodeResult { name, value } = decoder.decode(message.payload()).await.unwrap();
    let parcel = from_value::<Parcel>(&value).unwrap();
    store(name, parcel.weight);
}
"""
    assert {".".join(one.path) for one in sends({"a.rs": code}).used} == {"weight"}


def test_a_star_in_braces_is_the_whole_module(sends) -> None:
    code = "use crate::orders::{self, *};\nuse super::{*};\n" + SENDER % ("", '"t"')
    assert [one.topics for one in sends({"a.rs": code}).contracts] == [("t",)]
