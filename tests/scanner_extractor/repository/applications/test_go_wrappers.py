"""Packages of Go around a client: types of the client under other names, embedded clients, settings with defaults."""

from __future__ import annotations

import textwrap

import pytest

from scanner_extractor.repository.applications.reader import ApplicationsReading, read_applications
from scanner_model.names import SourceId

BUS = """\
    package bus
    import ("context"; "encoding/json"; "errors"; "github.com/segmentio/kafka-go")
    type Options struct { Brokers []string; Topic string }
    type Envelope kafka.Message
    type Mark kafka.Header
    type Outlet struct { *kafka.Writer; Options *Options }
    type Inlet struct { *kafka.Reader; Options *Options }
    func OpenOutlet(o *Options) (*Outlet, error) {
        if o.Topic == "" {
            return nil, errors.New("no topic")
        }
        return &Outlet{Writer: &kafka.Writer{Topic: o.Topic}, Options: o}, nil
    }
    func OpenInlet(o *Options) (*Inlet, error) {
        c := kafka.ReaderConfig{Topic: o.Topic}
        return &Inlet{Reader: kafka.NewReader(c), Options: o}, nil
    }
    func (e *Envelope) SetJSON(v interface{}) error {
        out, err := json.Marshal(v)
        if err != nil {
            return err
        }
        e.Value = out
        return nil
    }
    func (e *Envelope) Mark(name string) string {
        for _, one := range e.Headers {
            if one.Key == name {
                return string(one.Value)
            }
        }
        return ""
    }
    func (e *Envelope) Into(v interface{}) error { return json.Unmarshal(e.Value, &v) }
    func Put(o *Outlet, e *Envelope) error { return o.WriteMessages(context.Background(), kafka.Message(*e)) }
    func Each(i *Inlet, handle func(Envelope)) {
        for {
            m, err := i.ReadMessage(context.Background())
            if err != nil {
                continue
            }
            go handle(Envelope(m))
        }
    }
    """
SETTINGS = """\
    package settings
    var loaded *Settings
    type Settings struct { Names map[string]string }
    func Get() *Settings {
        if loaded != nil {
            return loaded
        }
        loaded = &Settings{Names: viper.New().GetStringMapString("names")}
        return loaded
    }
    func (s *Settings) Name(asked string) string {
        name, found := s.Names[asked]
        if !found {
            name = asked
        }
        return name
    }
    """
MAIN = """\
    package main
    import ("example.org/shop/bus"; "example.org/shop/settings")
    var names = settings.Get()
    type Stock struct {
        Sku string `json:"sku"`
        Raw interface{} `json:"count"`
        Count int `json:"-"`
    }
    type Notice struct {
        Item string `json:"item"`
        Left int `json:"left"`
    }
    type Worker struct { Publisher }
    type Publisher interface { Publish(n *Notice) error }
    type Outbound struct {}
    func (o *Outbound) Publish(n *Notice) error {
        w, err := bus.OpenOutlet(&bus.Options{Topic: names.Name("shop.notices")})
        if err != nil {
            return err
        }
        e := &bus.Envelope{}
        if err := e.SetJSON(n); err != nil {
            return err
        }
        return bus.Put(w, e)
    }
    func (w *Worker) onStock(e bus.Envelope) {
        if e.Mark("kind") != "stock" {
            return
        }
        var s Stock
        if err := e.Into(&s); err != nil {
            return
        }
        s.Count = number(s.Raw)
        w.Publish(&Notice{Item: s.Sku, Left: s.Count})
    }
    func main() {
        w := Worker{Publisher: &Outbound{}}
        i, _ := bus.OpenInlet(&bus.Options{Topic: names.Name("shop.stock")})
        bus.Each(i, w.onStock)
    }
    """


@pytest.fixture(scope="module")
def reading() -> ApplicationsReading:
    files = {
        "go.mod": "module example.org/shop\n",
        "bus/bus.go": textwrap.dedent(BUS),
        "settings/settings.go": textwrap.dedent(SETTINGS),
        "main.go": textwrap.dedent(MAIN),
    }
    return read_applications(files, SourceId("repository"))


def test_each_client_has_the_topic_of_the_call_that_opened_it(reading: ApplicationsReading) -> None:
    """Both topics are members of one struct: neither program end has the topic of the other."""
    flows = {(one.origin.name, one.target.name) for one in reading.flows if not one.origin.path}

    assert flows == {("shop.stock", "shop.notices")}
    assert reading.unresolved == ()


def test_a_value_that_a_method_fills_is_that_of_the_caller(reading: ApplicationsReading) -> None:
    columns = {
        (".".join(one.origin.path), ".".join(one.target.path), one.effect)
        for one in reading.flows
        if one.origin.path and one.target.path and one.effect
    }

    assert columns == {("sku", "item", "IDENTITY"), ("count", "left", "TRANSFORMATION")}


def test_headers_and_members_that_no_format_has_are_no_fields(reading: ApplicationsReading) -> None:
    read = {".".join(one.path) for one in reading.fields if not one.writes}

    assert read == {"sku", "count"}
