import org.apache.kafka.clients.producer._
class A(p: KafkaProducer[String, String]) { p.send(new ProducerRecord("orders", "x")) }
