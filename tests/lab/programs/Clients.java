// Clients of Kafka that run until they are ended: `Clients ROLE PROPERTIES …`; ROLE is write, bill, audit or count.

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.FileReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Produced;

public final class Clients {
    private static final Duration POLL = Duration.ofMillis(500);

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (FileReader file = new FileReader(arguments[1])) {
            settings.load(file);
        }
        switch (arguments[0]) {
            case "write" -> write(settings, arguments[2]);
            case "bill" -> bill(settings, arguments[2], arguments[3], Integer.parseInt(arguments[4]));
            case "audit" -> audit(settings, arguments[2]);
            case "count" -> count(settings, arguments[2], arguments[3]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Writes two records a second. */
    private static void write(Properties settings, String topic) throws InterruptedException {
        try (KafkaProducer<String, String> producer = producer(settings)) {
            for (int number = 0; ; number++) {
                producer.send(new ProducerRecord<>(topic, "key-" + number % 5, "{\"number\":" + number + "}"));
                Thread.sleep(500);
            }
        }
    }

    /** Reads by the new consumer protocol, and writes in transactions that stay open for a while. */
    private static void bill(Properties settings, String from, String to, int port) throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config().commonTags("application", settings.getProperty("group.id"));
        expose(registry, port);
        Properties reading = with(settings, "group.protocol", "consumer", "enable.auto.commit", "false");
        Properties writing = with(settings, "transactional.id", settings.getProperty("group.id") + "-tx-0");
        try (KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(reading, new StringDeserializer(), new StringDeserializer());
                KafkaProducer<String, String> producer = producer(writing)) {
            new KafkaClientMetrics(consumer).bindTo(registry);
            new KafkaClientMetrics(producer).bindTo(registry);
            producer.initTransactions();
            consumer.subscribe(List.of(from));
            while (true) {
                producer.beginTransaction();
                consumer.poll(POLL).forEach(record ->
                        producer.send(new ProducerRecord<>(to, record.key(), record.value())));
                producer.flush();
                Thread.sleep(1500);
                producer.commitTransaction();
                consumer.commitSync();
            }
        }
    }

    /** Reads as a member of a share group. */
    private static void audit(Properties settings, String topic) {
        try (KafkaShareConsumer<String, String> consumer =
                new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (true) {
                consumer.poll(POLL);
            }
        }
    }

    /** Counts by a new key with Kafka Streams and its own protocol: a repartition topic and a changelog. */
    private static void count(Properties settings, String from, String to) throws InterruptedException {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(from, Consumed.with(Serdes.String(), Serdes.String()))
                .groupBy((key, value) -> value, Grouped.with("by-value", Serdes.String(), Serdes.String()))
                .count()
                .toStream()
                .to(to, Produced.with(Serdes.String(), Serdes.Long()));
        KafkaStreams streams = new KafkaStreams(builder.build(), with(settings, "group.protocol", "streams"));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
        new CountDownLatch(1).await();
    }

    private static KafkaProducer<String, String> producer(Properties settings) {
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private static Properties with(Properties settings, String... pairs) {
        Properties result = new Properties();
        result.putAll(settings);
        for (int index = 0; index < pairs.length; index += 2) {
            result.put(pairs[index], pairs[index + 1]);
        }
        return result;
    }

    private static void expose(PrometheusMeterRegistry registry, int port) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/metrics", exchange -> {
            byte[] text = registry.scrape().getBytes("UTF-8");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
    }
}
