"""Classes of TypeScript: what a class above makes leaves alone what the class was given."""

from __future__ import annotations

import pytest

ABOVE = "export abstract class Job {\n  protected label: string;\nMADE\n}\n"
CODE = """
import { Kafka, Producer } from 'kafkajs';
import { Job } from './job';

class Invoicing extends Job {
  constructor(private readonly producer: Producer) {
    super();
    this.label = 'invoices';
  }
  async run(order: { number: string; sum: number }) {
    await this.producer.send({
      topic: 'invoices',
      messages: [{ value: JSON.stringify({ invoice: order.number, amount: order.sum, label: this.label }) }],
    });
  }
}

const kafka = new Kafka({ brokers: ['kafka:9092'] });
export const job = new Invoicing(kafka.producer());
"""


@pytest.mark.parametrize("made", ["", "  constructor() { this.label = ''; }"])
def test_a_class_above_that_is_given_nothing_keeps_what_the_class_has(made: str, sends) -> None:
    found = sends({"src/job.ts": ABOVE.replace("MADE", made), "src/invoicing.ts": CODE})

    assert [one.topics for one in found.contracts] == [("invoices",)]
    assert {path for one in found.contracts for path, _ in one.shape.fields} == {"amount", "invoice", "label"}
    assert found.unresolved == []


FORM = """
import { Kafka } from 'kafkajs';

abstract class Form { abstract write(value: object, options?: object, more?: object): string; }
class Json extends Form {
  write(value: object) {
    return JSON.stringify(value);
  }
}
const producer = new Kafka({ brokers: ['kafka:9092'] }).producer();
export async function pay(sum: number) {
  const form = new Json();
  await producer.send({ topic: 'paid', messages: [{ value: form.write({ sum }, { indent: 2 }) }] });
}
"""


def test_a_method_hides_the_one_above_whatever_it_takes(sends) -> None:
    found = sends({"src/form.ts": FORM})

    assert [(one.topics, [path for path, _ in one.shape.fields]) for one in found.contracts] == [(("paid",), ["sum"])]
