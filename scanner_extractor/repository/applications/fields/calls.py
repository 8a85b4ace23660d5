"""What calls of Kafka clients, collections and serializers do with the values that they are given."""

from __future__ import annotations

import re

from scanner_extractor.repository.syntax_trees import words

RECORDS = words(
    """@record ConsumerRecord ConsumerRecords Record FixedKeyRecord ConsumeResult IConsumer KafkaConsumer Consumer
    Message IMessage ConsumerMessage Delivery KafkaMessage EachMessagePayload ReceiverRecord KafkaRecord
    ConsumeContext ConsumerGroupClaim Acknowledgement IncomingKafkaRecord ProducerRecord ProducerMessage
    SenderRecord EachBatchPayload"""
)
"""Types that wrap a message: the last type argument is its value."""
OF_CLIENTS = RECORDS - {"Record", "Consumer", "Message"}
PAIRS = frozenset({"KeyValue", "Pair", "Tuple2", "Tuple", "Map.Entry", "Entry"})
MAPPINGS = words(
    """HashMap Map LinkedHashMap TreeMap ConcurrentHashMap JSONObject JsonObject ObjectNode GenericRecordBuilder Struct
    Record dict OrderedDict Dictionary ExpandoObject JObject"""
)
"""Types of records without a class; a `Record` of Avro is made with its schema only."""
MAKES_MAPPING = words(
    """createObjectNode mapOf hashMapOf mutableMapOf linkedMapOf objectNode buildJsonObject dict newHashMap"""
)
STREAMS = frozenset({"KStream", "KTable", "GlobalKTable", "KGroupedStream", "KGroupedTable", "DataStream"})

SCALARS = words(
    """string str int integer long short byte float double decimal boolean bool number char int32 int64 uint32 uint64
    bytes charsequence utf8 instant datetime date uuid bigdecimal bytestring"""
)
"""Types without fields, in lower case."""
VALUE = frozenset({"value", "payload", "getpayload", "getvalue", "body", "data"})
"""Members of a record that are its value, in lower case."""
BESIDE_VALUE = words(
    """key getkey headers getheaders header topic partition offset timestamp error commit ack acknowledge close metrics
    topicpartition leaderepoch timestamptype count isempty size time"""
)
"""Members of a record that are not of its value, in lower case."""

READS = re.compile(
    r"^(?:stream|table|globalTable|addGlobalStore|addSource|source|from\w*|read\w*|subscribe\w*|assign|consume\w*|"
    r"receive\w*|KafkaConsumer|Consumer|AIOKafkaConsumer|NewReader|Consumer\w*|agent|topic|load|option|withTopic|"
    r"set[A-Z]\w*|create\w*|run|poll|listen\w*|on|Subscribe\w*|ReaderConfig|NewConsumer\w*)$"
)
WRITES = re.compile(
    r"^(?:to|through|send\w*|Send\w*|produce\w*|Produce\w*|publish\w*|Publish\w*|emit\w*|WriteMessages?|ProducerRecord|"
    r"ProducerMessage|Message|Record|KafkaRecord|executeInsert|insertInto|sink\w*|option|save|put|push|enqueue|"
    r"MessageBuilder|withPayload|setHeader|setTopic|TopicPartition|Input)$"
)

SAME = words(
    """filter filterNot peek selectKey groupBy groupByKey windowedBy toStream repartition through merge branch foreach
    forEach reduce toTable suppress split to keyBy filterNotNull sorted distinct limit where Where OrderBy
    orderBy union rebalance assignTimestampsAndWatermarks name uid sort noDefaultBranch defaultBranch each every some
    find findFirst toList ToList toSet stream parallelStream collect iterator values items slice reversed also apply
    onEach ToArray AsEnumerable process processValues transform transformValues flatTransform subscribe doOnNext handle
    tap"""
)
"""Methods of streams and collections that return the same content."""
MAPS = words(
    """map mapValues flatMap flatMapValues Select SelectMany join leftJoin outerJoin aggregate fold Aggregate mapNotNull
    mapToObj thenApply then concatMap select mapAsync let run with cogroup"""
)
"""Methods whose result holds what the lambda returns."""
JOINS = frozenset({"join", "leftJoin", "outerJoin"})

DECODES = re.compile(
    r"(?i)load|pars|decod|deserial|unmarshal|fromjson|from_json|frombytes|from_dict|fromdict|fromavro|readvalue|"
    r"readtree|treetovalue|convertvalue|convert|tojavaobject|validate|toobject|getas|structure|plaintoinstance|body"
)
"""Calls that read a message from bytes, a text or a tree."""
PASSES = re.compile(
    r"(?i)^(?:str|bytes|list|dict|iter|enumerate|copy|next|await|value|get|orelse\w*|tostring|of|ofnullable|from|"
    r"requirenonnull|asdict|vars|build|let|buffer|trim|strip|byte|string|newbuffer\w*|newreader|"
    r"singletonlist|aslist|listof|setof|just|fromiterable|withvalue|valueof|pair|entry|append|add|push|of\w*)$"
    r"|encod|decod|dump|stringif|serial|marshal|json|bytes|avro|proto|payload|builder|loads|parse|copy|writevalue|"
    r"readvalue|readtree|model_dump|to_dict|convert"
)
"""Calls whose result holds what they are given."""
BUILDS = re.compile(r"^(?:newBuilder|builder|Builder|toBuilder|copy|create|of|newInstance|getDefaultInstance|new)$")
ENDS = frozenset({"build", "Build", "buildPartial", "autoBuild"})
NOT_FIELDS = words(
    """getClass getSchema hashCode toString equals getDescriptor getSerializedSize getAllFields getUnknownFields
    getDefaultInstance getInstance getLogger GetType GetHashCode isInitialized"""
)
"""Getters of every object: what they return is not a field."""
TEXTS = frozenset({"toString", "ToString", "String", "hashCode"})
"""Methods that use all of a message."""
UNIVERSAL = words(
    """equals Equals hashCode toString compareTo compare close get put accept apply test run call init start stop add
    remove size contains execute main build invoke next handle process map filter"""
)
"""Methods that many types have: a call of one on a value of an unknown type reaches no function of the repository."""
KEYED = re.compile(
    r"^(?:get|path|at|opt\w*|get(?:String|Int\w*|Long|Double|Boolean|Float|JSON\w+|As\w*|Object|Array|Field|Value|Record)|"
    r"findValue|field|has|containsKey|GetProperty|TryGetProperty|pop|setdefault|getFieldValue|read|query|at_path|"
    r"col|getItem|required|withArray|with)$"
)
"""Methods that read the member of a record that a text names."""
PUTS = re.compile(r"^(?:put\w*|set|add|addProperty|setField|append|setdefault|update|Add|SetValue)$")
"""Methods that write the member of a record that a text names."""
LOGS = re.compile(
    r"(?i)(?:^|\.)(?:_?log(?:ger)?|console|slog|zap|logrus|logging|system|out|err|fmt|print\w*|debug|info|warn\w*|error|trace)$"
)
