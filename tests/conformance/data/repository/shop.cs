using Confluent.Kafka; class A { void F(IProducer<string,string> p) { p.Produce("orders", null); } }
