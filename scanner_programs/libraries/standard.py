"""What names of the languages themselves, and of their standard libraries, mean."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAKERS = _words("create new apply of invoke default model_construct")
"""Methods of a class that make an object of it from the values of its members."""
IMPLICIT = frozenset(("java", "kotlin", "scala", "csharp"))
"""Languages in which code names the members of its object without naming the object."""
HOLDERS = _words(
    "Optional Option Arc Rc Box Mutex RwLock Promise Task ValueTask Future CompletableFuture CompletionStage Mono "
    "Uni Awaitable ObjectProvider Provider Lazy Supplier Result IO ZIO F Try Cow Nullable Deferred "
    "Partial Required Readonly NonNullable Awaited Omit Pick Annotated ClassVar Final"
)
"""Types of the languages that hold one value of their first parameter: it is missing, shared, there later, or of other
members."""
HOLDERS_OF_LAST = _words("Either EitherT EitherNel Validated ValidatedNel ValidatedNec Validation Ior ZIO TaskEither")
"""Types that hold one value of their last parameter, or another one that says why it is missing."""
RESULTS = frozenset(_words("Option Optional Maybe Result Try") | HOLDERS_OF_LAST - _words("ZIO TaskEither"))
"""Those of both that have the value at once, or never."""
CHOOSES = {
    **dict.fromkeys(_words("Either.cond Validated.cond Option.when Either.conditionally"), True),
    "Option.unless": False,
}
"""Functions that return their second argument if the first one holds, or does not hold; otherwise nothing is there."""
PRESENT = _words("Some Ok Success Right Just")
ABSENT = _words("None Err Failure Left Nothing")
FAILED = _words("Err Failure Left")
"""Forms of an optional value or a result in patterns: one that is there, and one that is missing or an error."""
TEXTS = _words("to_string toString ToString String to_owned as_str intern getString getAsString asString asText")
"""Methods that return a text as a text, also one that a setting has."""
FALLBACKS = _words("unwrap_or unwrap_or_else getOrElse orElse orElseGet or or_else ifEmpty getOrDefault")
"""Methods of optional values that return another one where it is missing."""
CONVERTS = _words("into try_into")
CONVERSIONS = _words("from try_from")
"""Methods that make a value into the type of where it goes, and the functions of that type which do it."""
SEQUENCES = (
    *("list", "set", "seq", "vec", "vector", "array", "slice", "collection", "enumerable", "iterable", "iterator"),
    *("sequence", "queue", "deque", "stream", "flow", "flux", "multi", "chunk", "stack", "bag", "tuple", "generator"),
)
"""What the names of the languages' types with several elements end in, in lower case."""
CONSTANTS = _words("values entries")
"""Members of an enumeration that have all its constants."""
CONSTRUCTORS = ("new", "__init__", "constructor")
INVOKES = frozenset(("apply", "accept", "call", "invoke", "get", "run", "test", "Invoke", "bind", "applyAsync"))
PUTS = frozenset(("put", "set", "setProperty", "Add", "add", "insert", "Set", "addProperty", "putIfAbsent", "property"))
LISTS = frozenset(("asList", "singletonList", "singleton", "List.of", "Set.of", "ImmutableList.of", "ImmutableSet.of"))
ROWS: Mapping[str, str] = {"create": "data", "update": "data", "upsert": "create"}
"""Methods of a database client that return a row, by the member of their options with its values (Prisma Client)."""
ROW_OPTIONS = _words("data where select include omit create update")
CHECKED: Mapping[str, str] = {"safeParse": "data", "safeParseAsync": "data"}
"""Methods that return whether a value is valid, by the member of their result that has the value (Zod)."""
MISSABLE = _words("optional nullish default catch prefault")
"""Methods of the parts of such a schema that let a member be missing."""
REMOVES = _words("pop remove delete Remove Delete unset")
"""Methods of maps that take the entry of a key out."""
MERGES = _words("deepMerge merge")
"""Methods of maps that return one with the entries of another one, too."""
PAIRS = frozenset(
    (
        "Map.of",
        "java.util.Map.of",
        "mapOf",
        "mutableMapOf",
        "hashMapOf",
        "linkedMapOf",
        "Map",
        "buildMap",
        "Json.obj",
        "json!",
    )
)
DEFAULTS = frozenset(("default", "envDefault", "env-default", "default_value", "default_value_t", "defaultValue"))
"""Tags, and arguments of tags, that have the value of a setting where nothing else sets it."""
KEEPS = (
    "filter",
    "where",
    "takewhile",
    "dropwhile",
    "skipwhile",
    "distinct",
    "sort",
    "orderby",
    "find",
    "first",
    "reject",
)
"""What methods of the languages' own sequences begin with that keep some of the elements as they are."""
WATCHED = _words(
    "onEach peek tap also doOnNext doOnSuccess doOnError evalTap wireTap tapEach observe inspect forEach foreach "
    "finally onError catchError"
)
"""Methods of the languages' own sequences and promises that return what they are called on."""
FOLDS = {
    **dict.fromkeys(_words("reduce fold foldLeft Aggregate aggregate inject"), False),
    **dict.fromkeys(_words("foldRight rfold"), True),
}
"""Methods of sequences that put their elements together one by one, each with whether the element comes first."""
SUMS = _words("sum sumOf Sum sumBy")
"""Functions and methods that add the elements of a sequence, or what a function makes of each."""
CLASSES = _words("getClass GetType class javaClass java __class__ constructor")
"""Members of every object, in the languages, that are its class."""
CLASS_NAMES = _words("getSimpleName simpleName Name __name__ name")
"""Members of a class that are its name."""
NOTES = {
    **dict.fromkeys(_words("getAnnotation getDeclaredAnnotation findAnnotation findMergedAnnotation"), False),
    **dict.fromkeys(_words("GetCustomAttribute getAnnotationByType"), False),
    **dict.fromkeys(_words("GetCustomAttributes getAnnotationsByType getAnnotations findAnnotations"), True),
}
"""Functions and methods that return annotations or attributes of a class, each with whether it returns several."""
OF_KIND = _words("OfType filterIsInstance")
"""Methods of sequences that keep the elements of a class, which is in brackets."""
TYPES_OF = _words("type typeof reflect.TypeOf")
"""Functions that return the class of what they are given."""
INDEXES = {
    **dict.fromkeys(_words("associateBy keyBy toMap ToDictionary indexBy index_by"), False),
    "associate": True,
}
"""Methods of sequences that make a map by a function of the keys, each with whether it makes pairs instead."""
THROUGH = _words("via viaMat through transform transformDeferred compose")
"""Methods of streams that are given what to do with the stream as a whole."""
JOINED_TO = THROUGH | _words("to toMat runWith alsoTo alsoToMat divertTo wireTap merge concat zip")
"""Methods of streams that are given another part of the pipeline, which the stream does not have as an element."""
TABLES = _words("toMap to_h toDict")
"""Methods of sequences that make a map of pairs."""
TAKES = _words(
    "received take poll get_nowait popleft shift dequeue Dequeue recv receive ReadAsync ReadAllAsync pop "
    "removeFirst drainTo iter_queue"
)
"""Methods of queues and channels that return what others have put in."""
ADDS = _words(
    "<- put put_nowait offer append push enqueue Enqueue trySend TryWrite WriteAsync addLast add Add send AddAsync"
)
"""Methods of queues and channels that put something in."""
OF_FIRST = frozenset(("lodash", "lodash-es", "underscore", "github.com/samber/lo"))
"""Libraries whose functions are methods of what they are given first; that may be an object, and a path in it next."""
PARSES = _words("safe_load load full_load parse loads")
"""Functions that make objects of a text, which are settings if the text is that of a file of settings."""
SIZES = _words("size length len count Count Length isEmpty is_empty nonEmpty")
"""Methods of sequences that are about how many elements there are."""
STATES = {"update": False, "value": True}
"""Methods of the state of a stream's function, each with whether it returns what is kept."""
TESTS = frozenset(("==", "!=", "<", "<=", "!", "&&", "||", "in", "not in", "instanceof", "is", "exists"))
LOOKUPS = _words("field at apply GetProperty")
"""Methods beside those that begin with `get` that return the member of an object whose name they are given."""
FLATTENS = _words("flatMap flat_map SelectMany flatMapIterable concatMap mapMany flatten mapConcat")
"""Methods of sequences that are given a function which makes several elements of one."""
OPERATORS = {
    "+": _words("__add__ plus add +"),
    "-": _words("__sub__ minus sub -"),
    "*": _words("__mul__ times mul *"),
    "/": _words("__truediv__ div /"),
    "|": _words("__or__ or bitor |"),
    "&": _words("__and__ and bitand &"),
    ">>": _words("__rshift__ shr >>"),
    "<<": _words("__lshift__ shl <<"),
    "@": _words("__matmul__"),
}
"""The methods that a class has for operators on its objects, in the languages."""
ASSIGNS = {
    "+": _words("plusAssign __iadd__ add_assign +="),
    "-": _words("minusAssign __isub__ sub_assign -="),
    "|": _words("__ior__ bitor_assign |="),
    "<<": _words("__ilshift__ shl_assign <<="),
}
"""The methods that a class has for operators which set a variable."""
GETS = _words("get Get getOrDefault getValue TryGetValue")
"""Methods of maps that return the value of a key."""
GROUPS = _words("GroupBy groupBy groupingBy group_by chunkBy partition_by groupby")
"""Methods of sequences that divide the elements in groups by a key, which a function makes of each."""
MAPS = FLATTENS | _words(
    "map Select mapValues mapAsync mapNotNull filter_map filterMap evalMap thenApply then let collect mapTo pluck "
    "flatMapValues and_then andThen parTraverse traverse mapConcat transform map_values concatMap switchMap SelectAsync"
)
"""Methods of sequences that return what a function makes of each element, and nothing else."""
DROPS = FLATTENS | _words("collect mapNotNull filter_map filterMap flatMapValues mapPartial choose compactMap")
"""Those that leave out an element for which the function returns nothing, or is not defined."""
ITERATES = _words("range iter enumerate list tuple reversed")
"""Functions of the languages that go through the elements of what they are given."""
STREAMS = _words("emits fromIterable fromIterator fromStream fromSeq fromArray fromList from_iter")
"""Functions of libraries of streams that make one of the elements of a sequence."""
SAME = _words("iter aiter list tuple reversed")
"""Those of Python that return or go through the same elements."""
NEXTS = {"__next__": True, "__anext__": True, "__iter__": False, "__aiter__": False}
"""The methods that a loop of Python calls, each with whether it returns an element or what has the elements."""
HELD = _words("value message payload body content data")
"""What libraries call the value of a record, in the record or in what a listener is given."""
DECODED = {"DecodeResult": "value", "DecodeResultWithSchema": "value"}
"""Classes of serializers that have a decoded value beside what is said of it, each with the member that has it."""
WRAPS = _words("of ofNullable just resolve successful pure succeed completedFuture FromResult some apply delay value")
"""Functions of the types that hold one value which make one of a value."""
WAITS = {
    **dict.fromkeys(_words("asyncio.wait_for asyncio.shield asyncio.ensure_future asyncio.create_task asyncio.run"), 0),
    **dict.fromkeys(_words("tokio.time.timeout tokio.time.timeout_at"), 1),
}
"""Functions of the languages that return what they are given once it is there, each with which argument that is."""
LIFTS = _words("pure some asRight point toRight")
"""Methods of any value that return it as an optional value, a result or one that is there later."""
AS_RESULT = _words("toOption toEither toTry toValidated toMaybe")
AS_OTHER = AS_RESULT | _words("toList toSeq toSet toVector ok iter getOrNull orNull")
"""Methods without arguments that return a result in another form: as one that may be missing, or as a sequence."""
OF_FAILURE = "left"
"""The member of a result that has its failure: what is done to it changes no value."""
OF_FAILURES = {
    **dict.fromkeys(_words("map_err inspect_err mapError leftMap tapError doOnError onFailure orElseThrow"), False),
    **dict.fromkeys(_words("recover handleError catchAll exceptionally catch onErrorReturn onErrorResume"), True),
}
"""Methods of results, and of values that are there later, that are given what to do with a failure.

Each with whether the function returns what is there instead.
"""
NO_FIELDS = _words(
    "getClass getSchema hashCode toString equals getDescriptor getSerializedSize getAllFields getUnknownFields "
    "getDefaultInstance getDefaultInstanceForType isInitialized isArray isObject isNull isMissingNode isTextual "
    "isNumber isBoolean isValueNode isContainerNode isJsonNull isJsonObject isJsonArray isJsonPrimitive getNodeType "
    "getAsJsonObject getAsJsonArray getAsString getAsInt getAsLong getAsDouble getAsBoolean isEmpty isPresent "
    "isDefined isSuccess isFailure"
)
"""Methods without arguments that objects of any class or any tree of JSON have: they return no field of it."""
FIELDS = _words("field Field attrib ib")
"""Functions of Python that return the default of a member, or what makes it, as a class declares it."""
FUNCTIONAL = _words("Function Consumer Supplier Predicate UnaryOperator BiFunction BiConsumer BinaryOperator Runnable")
"""Java's interfaces of functions, which Kotlin makes of a lambda by their names."""
EMITS = _words("emit yield yieldAll emitAll")
"""Functions that code inside a builder of a sequence calls with what the sequence has next."""
KEYS = _words("keys keySet Keys KeySet list tuple set sorted")
"""Functions and methods that return the keys of a map."""
SCALARS = _words(
    "string str char charsequence int integer short byte long bigint int32 int64 uint32 uint64 i32 i64 u32 u64 double "
    "float float32 float64 f32 f64 decimal bigdecimal biginteger number boolean bool instant date datetime localdate "
    "localdatetime offsetdatetime zoneddatetime timestamp duration uuid"
)
"""Types of the languages, in lower case, whose values have no fields: their members are computed."""
ERRORS = _words("errors.New errors.Wrap errors.Wrapf errors.Errorf fmt.Errorf anyhow! bail!")
"""Functions and macros that make an error of a text."""
ASSERTS: Mapping[str, frozenset[str]] = {
    "kotlin": _words("require check"),
    "scala": _words("require assert assume"),
    "rust": _words("assert! ensure! assert_eq! assert_ne!"),
    "python": _words("assert"),
}
"""Functions and statements of the languages that fail unless what they are given first holds, by language.

Java's and Kotlin's `assert` are off unless a program is started with them on.
"""
ASSERTS_EQUAL: Mapping[str, str] = {"assert_eq!": "==", "assert_ne!": "!="}
"""Those that are given two values, each with how these are compared."""
CHANGES = _words(
    "add addAll addFirst addLast put putAll putIfAbsent remove removeAll removeIf retainAll removeFirst removeLast "
    "removeAt clear sort reverse shuffle replaceAll compute computeIfAbsent computeIfPresent merge insert "
    "setLength deleteCharAt sortBy sortWith sortDescending plusAssign minusAssign "
    "push pop shift unshift splice fill copyWithin delete "
    "append extend update setdefault popitem discard "
    "Add AddRange Insert InsertRange Remove RemoveAll RemoveAt RemoveRange Clear Sort Reverse TryAdd Append AppendLine "
    "+= -= ++= --= prepend addOne subtractOne filterInPlace mapInPlace sortInPlace "
    "push_str push_back push_front insert_str sort_by sort_by_key sort_unstable dedup retain truncate drain resize "
    "WriteString WriteByte WriteRune Write Del Set"
)
"""Methods of the languages' own collections and builders of texts that change them."""
TAKEN_FROM = _words(
    "pop popitem shift unshift splice setdefault removeFirst removeLast computeIfAbsent putIfAbsent drain"
)
"""Those of them whose results code takes, too."""
NUMBERS: Mapping[str, frozenset[str]] = {
    "java": _words("byte short int long float double char"),
    "csharp": _words("sbyte byte short ushort int uint long ulong float double decimal char"),
    "rust": _words("i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 isize usize f32 f64 char"),
}
"""Types of numbers that a cast makes another number for, by language; others are seen as numbers of one type."""
VALUED = _words("kotlin scala")
"""Languages in which `try` is an expression."""
VIEWS = _words("stream iter into_iter iter_mut toList ToList AsEnumerable asSequence toSeq parallelStream to_vec")
"""Methods of sequences that have the same elements in the same order."""
EMPTY = {
    **dict.fromkeys(_words("isEmpty is_empty IsEmpty empty"), True),
    **dict.fromkeys(_words("nonEmpty isNotEmpty Any any"), False),
}
"""Methods without arguments that return whether a sequence has no elements, or has some."""
SOME = {
    **dict.fromkeys(_words("any anyMatch some exists Any"), (True, True)),
    **dict.fromkeys(_words("all allMatch every forall All"), (False, False)),
    **dict.fromkeys(_words("none noneMatch"), (False, True)),
}
"""Methods that return whether something holds for elements: each as whether one exists, and whether one that holds."""
EQUAL = _words("equals Equals Objects.equals java.util.Objects.equals string.Equals")
"""Methods and functions that return whether two values are equal."""
THENS = _words("then thenApply thenCompose thenAccept thenApplyAsync thenComposeAsync")
"""Methods of values that are there later which call a function with the value once it is there."""
ENDS: Mapping[str, frozenset[str]] = {
    "go": _words("panic os.Exit log.Fatal log.Fatalf log.Panic log.Panicf"),
    "rust": _words("panic unreachable todo unimplemented std::process::exit process::exit bail anyhow::bail"),
    "kotlin": _words("error TODO exitProcess"),
    "scala": _words("sys.error sys.exit ???"),
    "python": _words("sys.exit exit os._exit"),
    "typescript": _words("process.exit"),
    "javascript": _words("process.exit"),
}
"""Functions of the languages that never return, by language."""
WRITES = _words("__str__ toString ToString String fmt")
"""Methods of classes that return an object as a text, which the languages call where a text is wanted."""
AS_TEXT = _words("str String.valueOf java.lang.String.valueOf String to_string toString ToString Convert.ToString")
"""Functions and methods that return an object as a text."""
FAILS = {
    **dict.fromkeys(_words("when whenA raiseWhen"), False),
    **dict.fromkeys(_words("unless unlessA raiseUnless"), True),
}
"""Functions that run an effect which fails, each with whether a test holds where they do not run it (cats, ZIO)."""
STATEMENTS = _words("java csharp go python javascript typescript kotlin")
"""Languages in which what a function returns is always behind a word for it; in Kotlin, not so in a lambda."""
UNTYPED = _words("python javascript typescript")
"""Languages whose annotations of types do nothing while a program runs."""
CURRIED = _words("scala")
"""Languages in which a function may have further lists of parameters: given the first ones, it returns a function."""
EXHAUSTIVE = _words("rust")
"""Languages in which one of the cases of a match always fits."""
