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
