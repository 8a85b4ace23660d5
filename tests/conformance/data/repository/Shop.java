import org.springframework.kafka.annotation.KafkaListener; class Shop { @KafkaListener(topics = "${orders}") void on(Order o) { template.send("paid", o.id()); } }
