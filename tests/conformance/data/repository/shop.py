from kafka import KafkaProducer
p = KafkaProducer()
p.send(f'{x}-orders', {'id': 1})
