"""Channels of Go that several functions share: each has what is put in it, whichever names it has on the way."""

from __future__ import annotations

from scanner_programs.compare import compare

KINDS = "package kinds\ntype Note struct { Body []byte; Key []byte }\n"
QUEUE = """
package queue
import ("github.com/confluentinc/confluent-kafka-go/v2/kafka"; "example.org/q/kinds")
type Config struct { Topic string }
func Drain(in chan kinds.Note, c *Config) {
	p, err := kafka.NewProducer(&kafka.ConfigMap{})
	if err != nil {
		return
	}
	for v := range in {
		go func(v kinds.Note) {
			done := make(chan kafka.Event)
			at := kafka.TopicPartition{Topic: &c.Topic}
			p.Produce(&kafka.Message{TopicPartition: at, Value: v.Body, Key: v.Key}, done)
			e := <-done
			if e.(*kafka.Message).TopicPartition.Error != nil {
				in <- v
			}
		}(v)
	}
}
"""
TELL = """
package tell
import ("encoding/json"; "example.org/q/kinds"; "example.org/q/queue")
type Status struct {
	Service string `json:"service"`
	Code int `json:"code"`
}
type Upload struct {
	Url string `json:"url"`
	Size int `json:"size"`
}
type Teller struct { In chan kinds.Note }
func NewTeller(c *queue.Config) *Teller {
	t := &Teller{In: make(chan kinds.Note, 10)}
	go queue.Drain(t.In, c)
	return t
}
func (t *Teller) Tell(s *Status) {
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	t.In <- kinds.Note{Body: data}
}
type Checker struct { Out chan kinds.Note }
func NewChecker(topic string) *Checker {
	k := &Checker{Out: make(chan kinds.Note)}
	k.add(topic)
	return k
}
func (k *Checker) add(topic string) {
	ch := make(chan kinds.Note, 5)
	go queue.Drain(ch, &queue.Config{Topic: topic})
	k.Out = ch
}
func (k *Checker) Check(u *Upload) {
	data, err := json.Marshal(u)
	if err != nil {
		return
	}
	k.Out <- kinds.Note{Body: data}
}
"""
MAIN = """
package main
import ("example.org/q/tell"; "example.org/q/queue"; "net/http")
func main() {
	teller := tell.NewTeller(&queue.Config{Topic: "statuses"})
	checker := tell.NewChecker("uploads")
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		checker.Check(&tell.Upload{Url: r.URL.Path, Size: 3})
		teller.Tell(&tell.Status{Code: 200, Service: "q"})
		teller.Tell(&tell.Status{Code: 404, Service: "w"})
	})
}
"""


def test_what_is_put_in_a_channel_is_sent_to_the_topic_of_the_function_that_drains_it(sends) -> None:
    """A record that could not be sent is put back: that adds nothing."""
    files = {"kinds/k.go": KINDS, "queue/q.go": QUEUE, "tell/t.go": TELL, "main.go": MAIN}
    contracts = [one for one in sends(files).contracts if not one.inner]
    fields = {(one.topics, path) for one in contracts for path, _ in one.shape.fields}

    assert fields == {
        (("statuses",), "service"),
        (("statuses",), "code"),
        (("uploads",), "url"),
        (("uploads",), "size"),
    }
    assert not any(one.opaque for one in contracts)


def test_a_function_of_a_package_with_a_path_is_no_type(sends) -> None:
    """What a class says of how it is written as JSON counts."""
    code = (
        'package main\nimport ("context"; "encoding/json"; "github.com/segmentio/kafka-go")\n'
        "type Seat struct { Row string; Place int }\n"
        'func (s Seat) MarshalJSON() ([]byte, error) { return []byte(`{"row":"` + s.Row + `"}`), nil }\n'
        "func send(w *kafka.Writer, s Seat) {\n  body, _ := json.Marshal(s)\n"
        '  w.WriteMessages(context.Background(), kafka.Message{Topic: "seats", Value: body})\n}\n'
    )

    before, after = sends({"main.go": code}), sends({"main.go": code.replace('"row"', '"line"')})

    assert compare(before, after)
