"""Overloads that a class inherits, and what frameworks of the JVM are given by place."""

from __future__ import annotations

import pytest

PIPE = """
import org.springframework.cloud.stream.function.StreamBridge;
class Outbound {
  private final StreamBridge bridge;
  @Value("${outbound.binder}") String binder;
  Outbound(StreamBridge bridge) { this.bridge = bridge; }
  void send(Label label) { bridge.send(%s); }
}
class Label { String parcel; int grams; Label(String parcel, int grams) { this.parcel = parcel; this.grams = grams; } }
class Service { Outbound out; void run(String id) { out.send(new Label(id, 3)); } }
"""


@pytest.mark.parametrize(
    "given",
    [
        '"labels-out-0", label',
        '"labels-out-0", binder, label',
        '"labels-out-0", "second", MessageBuilder.withPayload(label).setHeader("a", "b").build()',
        '"labels-out-0", label, MimeType.valueOf("application/json")',
    ],
)
def test_a_record_is_found_beside_the_name_of_a_binder(sends, given: str) -> None:
    found = sends({"Outbound.java": PIPE % given})

    assert {path for one in found.contracts for path, _ in one.shape.fields} == {"parcel", "grams"}


BASE = """
package bus;
public abstract class Inbox<T> {
  public final void accept(Flux<Message<String>> messages) { messages.flatMap(one -> accept(one, 1)); }
  protected Mono<Void> accept(Message<String> message, int turn) { return accept(parse(message), message, turn); }
  protected abstract ObjectReader reader();
  protected abstract Mono<Void> accept(T value, Message<String> message, int turn);
  private T parse(Message<String> message) { return reader().readValue(message.getPayload()); }
}
"""
INBOX = """
package app;
import bus.Inbox;
interface Parcels { void accept(Flux<Message<String>> messages); }
class ParcelInbox extends Inbox<Parcel> implements Parcels {
  private final Store store;
  protected ObjectReader reader() { return new ObjectMapper().readerFor(Parcel.class); }
  protected Mono<Void> accept(Parcel parcel, Message<String> message, int turn) {
    return store.save(parcel.getWeight());
  }
}
class Parcel { private int weight; private String owner; int getWeight() { return weight; } }
@Configuration
class Beans { @Bean Consumer<Flux<Message<String>>> parcels(Parcels parcels) { return parcels::accept; } }
"""


def test_the_overload_that_takes_what_is_given_is_called_also_of_a_class_above(sends) -> None:
    """The class itself has a method of that name, too, which takes more."""
    files = {
        "Inbox.java": BASE,
        "Parcels.java": INBOX,
        "application.yml": "spring.cloud.stream.bindings.parcels-in-0.destination: parcels\n",
    }

    assert {(one.topic, ".".join(one.path)) for one in sends(files).used} >= {("parcels", "weight")}
