"""Of what no evaluation came to, code counts that what is sent leads to, or that is called on the way to a send."""

from __future__ import annotations

import pytest

from scanner_programs.calls import names_within
from scanner_programs.compare import compare
from scanner_programs.values import Apply, Const, Get, Input, Kind, Opaque, Thing

JAVA = {
    "Publisher.java": """\
package shop;
import org.springframework.kafka.core.KafkaTemplate;
class Publisher {
  private final KafkaTemplate<String, Paid> template;
  Publisher(KafkaTemplate<String, Paid> template) { this.template = template; }
  void publish(Paid paid) { template.send("paid", paid); }
}
""",
    "Orders.java": """\
package shop;
import org.springframework.web.bind.annotation.*;
@RestController
class Orders {
  private final Publisher publisher;
  private final Engine engine;
  Orders(Publisher publisher, Engine engine) { this.publisher = publisher; this.engine = engine; }
  @PostMapping("/pay") void pay(@RequestBody PaidRequest request) {
    engine.limits().check(request);
    publisher.publish(new Paid(request.id(), engine.prices().netOf(request)));
  }
  @GetMapping("/view") OrderView view(String id) { return engine.store().found(id).shown(); }
}
""",
    "Limits.java": "package shop;\nclass Limits {\n  void check(PaidRequest request) { note(1); }\n}\n",
    "Prices.java": "package shop;\nclass Prices {\n"
    "  int netOf(PaidRequest request) { return request.total() / 2; }\n}\n",
    "Stored.java": "package shop;\nclass Stored {\n  OrderView shown() { return new OrderView(1); }\n}\n",
    "Paid.java": "package shop;\nrecord Paid(String id, int net) {}\n",
    "PaidRequest.java": "package shop;\nrecord PaidRequest(String id, int total, Shop shop) {}\n",
    "Shop.java": "package shop;\nclass Shop {\n  String name;\n}\n",
    "OrderView.java": "package shop;\nclass OrderView {\n  int lines;\n}\n",
}
GO = {
    "main.go": """\
package main

import "github.com/segmentio/kafka-go"

type Paid struct { ID string }
type View struct { Lines int }
type Server struct { writer *kafka.Writer; engine Engine }

func (s *Server) Pay(id string) {
	s.engine.Limits().Check(id)
	s.writer.WriteMessages(ctx, kafka.Message{Topic: "paid", Value: s.engine.Prices().Encoded(id)})
}

func (s *Server) View(id string) View { return s.engine.Store().Shown(id) }

func main() {
	s := &Server{writer: &kafka.Writer{}, engine: load()}
	http.HandleFunc("/pay", s.Pay)
	http.HandleFunc("/view", s.View)
}
""",
    "limits.go": "package main\n\ntype Limits struct{}\n\nfunc (l Limits) Check(id string) { note(1) }\n",
    "prices.go": "package main\n\ntype Prices struct{}\n\n"
    "func (p Prices) Encoded(id string) []byte { return pack(id) }\n",
    "stored.go": "package main\n\ntype Stored struct{}\n\n"
    "func (s Stored) Shown(id string) View { return View{Lines: 1} }\n",
}


@pytest.mark.parametrize(
    ("files", "path", "old", "new"),
    [
        (JAVA, "Stored.java", "OrderView(1)", "OrderView(2)"),
        (JAVA, "OrderView.java", "int lines", "long lines"),
        (GO, "stored.go", "Lines: 1", "Lines: 2"),
    ],
)
def test_what_only_shows_things_is_no_difference(sends, files, path, old, new):
    assert compare(sends(files), sends({**files, path: files[path].replace(old, new)})) == []


@pytest.mark.parametrize(
    ("files", "path", "old", "new"),
    [
        (JAVA, "Prices.java", "/ 2", "/ 3"),
        (JAVA, "Limits.java", "note(1)", "note(2)"),
        (JAVA, "PaidRequest.java", "String id", "long id"),
        (JAVA, "Shop.java", "String name", "int name"),
        (GO, "prices.go", "pack(id)", "pack(id + id)"),
        (GO, "limits.go", "note(1)", "note(2)"),
    ],
    ids=["a value", "a check", "an input", "a class of an input's member", "a value in Go", "a check in Go"],
)
def test_what_is_sent_or_on_the_way_counts(sends, files, path, old, new):
    found = compare(sends(files), sends({**files, path: files[path].replace(old, new)}))

    assert found
    assert not any(one.certain for one in found)


def test_names_of_calls_members_and_types_are_found_in_all_parts() -> None:
    made = Thing("Paid", fields={"net": Apply("netOf", Get(Input("0", "PaidRequest"), "prices"))})

    found = names_within([Opaque("kept in cache", (made,)), Const(Kind.TEXT, "shown")])

    assert found == {"kept", "in", "cache", "Paid", "netOf", "PaidRequest", "prices"}


def test_too_many_parts_are_not_looked_at() -> None:
    assert names_within(Get(Input("0"), "a") for _ in range(200_000)) is None
