"""Names of fields of C#: what a note on a property calls it in a message."""

from __future__ import annotations

import pytest

CODE = """
using Confluent.Kafka;
using Newtonsoft.Json;

public class Parcel
{
    [NOTE]
    public string Weight { get; set; }
}

public class Worker
{
    public void Run(IConsumer<string, string> consumer)
    {
        consumer.Subscribe("parcels");
        while (true)
        {
            var parcel = JsonConvert.DeserializeObject<Parcel>(consumer.Consume().Message.Value);
            Console.WriteLine(parcel.Weight);
        }
    }
}
"""


@pytest.mark.parametrize(
    "note", ['JsonProperty("weight-g")', 'JsonProperty(PropertyName = "weight-g")', 'JsonPropertyName("weight-g")']
)
def test_a_note_gives_the_name_that_a_field_has_in_a_message(note: str, sends) -> None:
    found = sends({"Worker.cs": CODE.replace("NOTE", note)})

    assert {(one.topic, ".".join(one.path)) for one in found.used} == {("parcels", "weight-g")}


OUTBOX = """
using Dafda.Configuration;

public class Moved { public string Parcel { get; set; } public int Shelf { get; set; } }

public static class Startup
{
    private const string Prefix = "store";

    public static void Add(IServiceCollection services)
    {
        services.AddProducerFor<IMoves, Moves>(options =>
        {
            options.WithBootstrapServers("kafka:9092");
            options.Register<Moved>($"{Prefix}.moves", "moved", moved => moved.Parcel);
        });
    }
}
"""


def test_options_whose_class_is_not_written_register_what_is_written_to_a_topic(sends) -> None:
    found = sends({"Startup.cs": OUTBOX})

    assert [one.topics for one in found.contracts] == [("store.moves",)]
    assert {path for one in found.contracts for path, _ in one.shape.fields} == {"parcel", "shelf"}
