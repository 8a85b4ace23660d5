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


CONTAINER = """
import org.springframework.cloud.stream.function.StreamBridge;
interface Courier { boolean hand(String parcel); }
class BridgeCourier implements Courier {
  private final StreamBridge bridge;
  private final String binding;
  BridgeCourier(StreamBridge bridge, String binding) { this.bridge = bridge; this.binding = binding; }
  public boolean hand(String parcel) { return bridge.send(binding, new Label(parcel)); }
}
class Label { String parcel; Label(String parcel) { this.parcel = parcel; } }
class Listener {
  private final Courier courier;
  Listener(Courier courier) { this.courier = courier; }
  @EventListener
  void onParcel(ParcelAccepted event) { courier.hand(event.getId()); }
}
@Configuration
class Beans {
  private static final String OUT = "labels-out-0";
  @Bean Courier courier(StreamBridge bridge) { return new BridgeCourier(bridge, OUT); }
}
"""


def test_an_object_of_a_container_keeps_what_it_was_made_with(sends) -> None:
    """The members that hold it are called as the function that makes it."""
    settings = "spring.cloud.stream.bindings.labels-out-0.destination: labels\n"
    contracts = sends({"Beans.java": CONTAINER, "application.yml": settings}, own={"Beans.java"}).contracts

    assert {one.topics for one in contracts if one.view == "Listener.onParcel"} == {("labels",)}


ROUTED = """
package app;
@Configuration
class Beans {
  @Bean Consumer<Event<Parcel>> parcels(Store store) { return new Checked<>(e -> store.save(e.getData().getWeight())); }
  @Bean Consumer<Event<Label>> labels(LabelAdapter adapter) { return new Checked<>(adapter); }
  @Bean Consumer<Event<Note>> notes(Store store) { return e -> store.save(e.getData().getText()); }
}
final class Checked<T> implements Consumer<T> {
  private final Consumer<T> consumer;
  Checked(Consumer<T> consumer) { this.consumer = consumer; }
  public void accept(T t) { if (valid(t)) { consumer.accept(t); } }
}
class LabelAdapter implements Consumer<Event<Label>> {
  private final Store store;
  LabelAdapter(Store store) { this.store = store; }
  public void accept(Event<Label> event) { store.save(event.getData().getPlace()); }
}
class Event<T> { private String type; private T data; T getData() { return data; } }
class Parcel { private int weight; int getWeight() { return weight; } }
class Label { private String place; String getPlace() { return place; } }
class Note { private String text; String getText() { return text; } }
"""


def test_a_router_gives_records_to_functions_that_are_bound_to_nothing(sends) -> None:
    bindings = (
        "spring.cloud.stream.bindings.functionRouter-in-0.destination: mixed\n"
        "spring.cloud.stream.bindings.notes-in-0.destination: notes\n"
    )
    used = {(one.topic, ".".join(one.path)) for one in sends({"Beans.java": ROUTED, "application.yml": bindings}).used}

    assert used >= {("mixed", "data.weight"), ("mixed", "data.place"), ("notes", "data.text")}
    assert ("mixed", "data.text") not in used
