import org.apache.kafka.clients.producer.*
fun f(p: KafkaProducer<String, String>) { p.send(ProducerRecord("orders", "x")) }
