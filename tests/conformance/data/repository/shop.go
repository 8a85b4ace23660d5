package a
import "github.com/segmentio/kafka-go"
func f() { w := kafka.Writer{Topic: "orders"}; _ = w }
