resource "confluent_kafka_topic" "a" {
  topic_name = "orders"
  config = { "retention.ms" = var.days * 2 }
}
