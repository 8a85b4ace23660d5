import { Kafka } from "kafkajs"; const p = new Kafka({}).producer(); p.send({ topic: "orders", messages: [] });
