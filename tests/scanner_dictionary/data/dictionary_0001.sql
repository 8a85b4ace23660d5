BEGIN TRANSACTION;
CREATE TABLE broker (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_broker_address UNIQUE (address), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id)
);
INSERT INTO "broker" VALUES(1,1,'kafka-1:9092',1,2,NULL);
INSERT INTO "broker" VALUES(2,1,'kafka-2:9092',1,2,NULL);
CREATE TABLE change_log (
	scan_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	entity_kind VARCHAR NOT NULL, 
	entity TEXT NOT NULL, 
	action VARCHAR NOT NULL, 
	before_json TEXT, 
	after_json TEXT, 
	PRIMARY KEY (scan_id, ordinal), 
	FOREIGN KEY(scan_id) REFERENCES scan (id)
);
INSERT INTO "change_log" VALUES(1,0,'broker','["kafka-1:9092"]','added',NULL,NULL);
INSERT INTO "change_log" VALUES(1,1,'broker','["kafka-2:9092"]','added',NULL,NULL);
INSERT INTO "change_log" VALUES(1,2,'topic','["orders"]','added',NULL,'{"partitions":6,"config":"{\"cleanup.policy\":\"compact\"}"}');
INSERT INTO "change_log" VALUES(1,3,'registry','["schema_registry:https://sr:8081"]','added',NULL,'{"kind":"confluent","url":"https://sr:8081"}');
INSERT INTO "change_log" VALUES(1,4,'subject','["schema_registry:https://sr:8081",".","orders-key"]','added',NULL,'{}');
INSERT INTO "change_log" VALUES(1,5,'subject','["schema_registry:https://sr:8081",".","orders-value"]','added',NULL,'{}');
INSERT INTO "change_log" VALUES(1,6,'subject_version','["schema_registry:https://sr:8081",".","orders-key",1]','added',NULL,'{"schema_id":"101","format":"AVRO","definition_id":1}');
INSERT INTO "change_log" VALUES(1,7,'subject_version','["schema_registry:https://sr:8081",".","orders-value",1]','added',NULL,'{"schema_id":"101","format":"AVRO","definition_id":1}');
INSERT INTO "change_log" VALUES(1,8,'subject_version','["schema_registry:https://sr:8081",".","orders-value",2]','added',NULL,'{"schema_id":"102","format":"AVRO","definition_id":2}');
INSERT INTO "change_log" VALUES(1,9,'topic_schema','["orders","key","schema_registry:https://sr:8081",".","orders-key",1,""]','added',NULL,'{"definition_id":1,"registry_id":1,"schema_id":"101","is_current":true,"strategy":"topic","evidence":"orders-key","confidence":"confirmed"}');
INSERT INTO "change_log" VALUES(1,10,'topic_schema','["orders","value","schema_registry:https://sr:8081",".","orders-value",1,""]','added',NULL,'{"definition_id":1,"registry_id":1,"schema_id":"101","strategy":"topic","evidence":"orders-value","confidence":"confirmed"}');
INSERT INTO "change_log" VALUES(1,11,'topic_schema','["orders","value","schema_registry:https://sr:8081",".","orders-value",2,""]','added',NULL,'{"definition_id":2,"registry_id":1,"schema_id":"102","is_current":true,"strategy":"topic","evidence":"orders-value","confidence":"confirmed"}');
INSERT INTO "change_log" VALUES(1,12,'consumer_group','["billing"]','added',NULL,'{}');
INSERT INTO "change_log" VALUES(1,13,'consumer_group_topic','["billing","orders"]','added',NULL,'{}');
INSERT INTO "change_log" VALUES(1,14,'ksql_source','["ksqldb:http://ksql:8088","ORDERS"]','added',NULL,'{"kind":"STREAM","topic_name":"orders","key_format":"KAFKA","value_format":"AVRO","statement":"CREATE …"}');
INSERT INTO "change_log" VALUES(1,15,'query','["ksqldb:http://ksql:8088","CSAS_1"]','added',NULL,'{"kind":"PERSISTENT","state":"RUNNING","statement":"CREATE …"}');
INSERT INTO "change_log" VALUES(2,0,'query','["ksqldb:http://ksql:8088","CSAS_1"]','gone','{"kind":"PERSISTENT","state":"RUNNING","statement":"CREATE …"}',NULL);
CREATE TABLE cluster (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kafka_cluster_id VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_cluster_name UNIQUE (name)
);
INSERT INTO "cluster" VALUES(1,'retail','');
CREATE TABLE consumer_group (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_consumer_group_name UNIQUE (cluster_id, name), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "consumer_group" VALUES(1,1,'billing','',1,1,2,NULL);
CREATE TABLE consumer_group_topic (
	id INTEGER NOT NULL, 
	consumer_group_id INTEGER NOT NULL, 
	topic_name VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_consumer_group_topic UNIQUE (consumer_group_id, topic_name), 
	FOREIGN KEY(consumer_group_id) REFERENCES consumer_group (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "consumer_group_topic" VALUES(1,1,'orders',1,1,2,NULL);
CREATE TABLE dictionary_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT dictionary_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "dictionary_version" VALUES('0001');
CREATE TABLE flow_edge (
	id INTEGER NOT NULL, 
	source_node_id INTEGER NOT NULL, 
	target_node_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	flow_type VARCHAR NOT NULL, 
	subtype VARCHAR NOT NULL, 
	evidence TEXT NOT NULL, 
	certainty VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(source_node_id) REFERENCES flow_node (id), 
	FOREIGN KEY(target_node_id) REFERENCES flow_node (id)
);
CREATE TABLE flow_graph (
	id INTEGER NOT NULL, 
	last_scan INTEGER NOT NULL, 
	node_count INTEGER NOT NULL, 
	edge_count INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE flow_node (
	id INTEGER NOT NULL, 
	node_key TEXT NOT NULL, 
	kind VARCHAR NOT NULL, 
	namespace VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	path TEXT, 
	attributes TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE ksql_column (
	ksql_source_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	schema_role VARCHAR, 
	header TEXT NOT NULL, 
	depth INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	name TEXT NOT NULL, 
	data_type TEXT NOT NULL, 
	logical_type TEXT, 
	nullable BOOLEAN NOT NULL, 
	default_value TEXT, 
	doc TEXT, 
	tags TEXT, 
	recursion_of TEXT, 
	branches TEXT, 
	field_number BIGINT, 
	PRIMARY KEY (ksql_source_id, ordinal), 
	FOREIGN KEY(ksql_source_id) REFERENCES ksql_source (id)
);
CREATE TABLE ksql_query (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	statement TEXT NOT NULL, 
	sources TEXT NOT NULL, 
	sinks TEXT NOT NULL, 
	sink_topics TEXT NOT NULL, 
	consumer_group VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_ksql_query_name UNIQUE (source_id, name), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "ksql_query" VALUES(1,1,'CSAS_1','PERSISTENT','RUNNING','CREATE …','[]','[]','[]','',2,1,1,2);
CREATE TABLE ksql_source (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	topic_name VARCHAR NOT NULL, 
	key_format VARCHAR NOT NULL, 
	value_format VARCHAR NOT NULL, 
	statement TEXT NOT NULL, 
	window_type VARCHAR NOT NULL, 
	partitions BIGINT, 
	replication BIGINT, 
	is_internal BOOLEAN NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_ksql_source_name UNIQUE (source_id, name), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "ksql_source" VALUES(1,1,'ORDERS','STREAM','orders','KAFKA','AVRO','CREATE …','',NULL,NULL,0,2,1,2,NULL);
CREATE TABLE manual_flow (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	origin_namespace TEXT NOT NULL, 
	origin_name TEXT NOT NULL, 
	origin_path TEXT, 
	target_namespace TEXT NOT NULL, 
	target_name TEXT NOT NULL, 
	target_path TEXT, 
	job TEXT NOT NULL, 
	description TEXT NOT NULL, 
	evidence TEXT NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
CREATE TABLE registry (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	url VARCHAR NOT NULL, 
	environment VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_registry_source UNIQUE (source_id), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "registry" VALUES(1,1,'confluent','https://sr:8081','',3,1,2,NULL);
CREATE TABLE scan (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	started VARCHAR NOT NULL, 
	finished VARCHAR NOT NULL, 
	mode VARCHAR NOT NULL, 
	answer VARCHAR NOT NULL, 
	added INTEGER NOT NULL, 
	changed INTEGER NOT NULL, 
	gone INTEGER NOT NULL, 
	returned INTEGER NOT NULL, 
	stale INTEGER NOT NULL, 
	refused INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id)
);
INSERT INTO "scan" VALUES(1,1,'2026-01-02T03:04:05.000+00:00','2026-01-02T03:04:05.000+00:00','full','read',16,0,0,0,0,0);
INSERT INTO "scan" VALUES(2,1,'2026-01-02T03:04:05.000+00:00','2026-01-02T03:04:05.000+00:00','full','read',0,0,1,0,0,0);
CREATE TABLE scan_outcome (
	scan_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	source_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	answer VARCHAR NOT NULL, 
	got INTEGER NOT NULL, 
	asked INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	hint TEXT NOT NULL, 
	requests INTEGER NOT NULL, 
	seconds FLOAT NOT NULL, 
	unread TEXT NOT NULL, 
	PRIMARY KEY (scan_id, ordinal), 
	FOREIGN KEY(scan_id) REFERENCES scan (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "scan_outcome" VALUES(1,0,1,'kafka','read',0,0,'','',0,0.0,'[]');
INSERT INTO "scan_outcome" VALUES(1,1,3,'schema_registry','read',0,0,'','',0,0.0,'[]');
INSERT INTO "scan_outcome" VALUES(1,2,2,'ksqldb','read',0,0,'','',0,0.0,'[]');
INSERT INTO "scan_outcome" VALUES(2,0,1,'kafka','read',0,0,'','',0,0.0,'[]');
INSERT INTO "scan_outcome" VALUES(2,1,3,'schema_registry','read',0,0,'','',0,0.0,'[]');
INSERT INTO "scan_outcome" VALUES(2,2,2,'ksqldb','read',0,0,'','',0,0.0,'[]');
CREATE TABLE scan_problem (
	scan_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	place TEXT NOT NULL, 
	what TEXT NOT NULL, 
	hint TEXT NOT NULL, 
	PRIMARY KEY (scan_id, ordinal), 
	FOREIGN KEY(scan_id) REFERENCES scan (id)
);
CREATE TABLE schema_column (
	definition_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	depth INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	name TEXT NOT NULL, 
	data_type TEXT NOT NULL, 
	logical_type TEXT, 
	nullable BOOLEAN NOT NULL, 
	default_value TEXT, 
	doc TEXT, 
	tags TEXT, 
	recursion_of TEXT, 
	branches TEXT, 
	field_number BIGINT, 
	PRIMARY KEY (definition_id, ordinal), 
	FOREIGN KEY(definition_id) REFERENCES schema_definition (id)
)
 WITHOUT ROWID

;
INSERT INTO "schema_column" VALUES(1,0,1,'["id"]','id','string',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "schema_column" VALUES(2,0,1,'["id"]','id','string',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "schema_column" VALUES(2,1,1,'["amount"]','amount','string',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE schema_definition (
	id INTEGER NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	format VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	schema_text TEXT NOT NULL, 
	problems TEXT NOT NULL, 
	column_count INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_schema_definition_fingerprint UNIQUE (fingerprint)
);
INSERT INTO "schema_definition" VALUES(1,'avro id','AVRO','shop.R','id','[]',1,1);
INSERT INTO "schema_definition" VALUES(2,'avro id,amount','AVRO','shop.R','id,amount','[]',2,1);
CREATE TABLE schema_reference (
	subject_version_id INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	subject VARCHAR NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (subject_version_id, ordinal), 
	FOREIGN KEY(subject_version_id) REFERENCES subject_version (id)
);
CREATE TABLE source (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	last_asked INTEGER, 
	last_read INTEGER, 
	stale_since INTEGER, 
	stale_reason TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_source_name UNIQUE (cluster_id, name), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id)
);
INSERT INTO "source" VALUES(1,1,'kafka:kafka-1:9092','kafka',2,2,NULL,'');
INSERT INTO "source" VALUES(2,1,'ksqldb:http://ksql:8088','ksqldb',2,2,NULL,'');
INSERT INTO "source" VALUES(3,1,'schema_registry:https://sr:8081','schema_registry',2,2,NULL,'');
CREATE TABLE subject (
	id INTEGER NOT NULL, 
	registry_id INTEGER NOT NULL, 
	context VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_subject_name UNIQUE (registry_id, context, name), 
	FOREIGN KEY(registry_id) REFERENCES registry (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "subject" VALUES(1,1,'.','orders-key',0,3,1,2,NULL);
INSERT INTO "subject" VALUES(2,1,'.','orders-value',0,3,1,2,NULL);
CREATE TABLE subject_version (
	id INTEGER NOT NULL, 
	subject_id INTEGER NOT NULL, 
	version BIGINT NOT NULL, 
	schema_id VARCHAR NOT NULL, 
	guid VARCHAR NOT NULL, 
	format VARCHAR NOT NULL, 
	definition_id INTEGER, 
	schema_text TEXT, 
	metadata TEXT NOT NULL, 
	rule_set TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	state VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_subject_version UNIQUE (subject_id, version), 
	FOREIGN KEY(subject_id) REFERENCES subject (id), 
	FOREIGN KEY(definition_id) REFERENCES schema_definition (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "subject_version" VALUES(1,1,1,'101','','AVRO',1,NULL,'','','[]',0,'',3,1,2,NULL);
INSERT INTO "subject_version" VALUES(2,2,1,'101','','AVRO',1,NULL,'','','[]',0,'',3,1,2,NULL);
INSERT INTO "subject_version" VALUES(3,2,2,'102','','AVRO',2,NULL,'','','[]',0,'',3,1,2,NULL);
CREATE TABLE topic (
	id INTEGER NOT NULL, 
	cluster_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	partitions BIGINT, 
	replication BIGINT, 
	is_internal BOOLEAN NOT NULL, 
	config TEXT NOT NULL, 
	description TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_topic_name UNIQUE (cluster_id, name), 
	FOREIGN KEY(cluster_id) REFERENCES cluster (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "topic" VALUES(1,1,'orders',6,NULL,0,'{"cleanup.policy":"compact"}','','[]',1,1,2,NULL);
CREATE TABLE topic_schema (
	id INTEGER NOT NULL, 
	topic_id INTEGER NOT NULL, 
	schema_role VARCHAR NOT NULL, 
	definition_id INTEGER NOT NULL, 
	registry_id INTEGER, 
	context VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	version BIGINT, 
	schema_id VARCHAR, 
	is_current BOOLEAN NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	strategy VARCHAR NOT NULL, 
	evidence TEXT NOT NULL, 
	confidence VARCHAR NOT NULL, 
	source_id INTEGER NOT NULL, 
	first_seen INTEGER NOT NULL, 
	last_seen INTEGER NOT NULL, 
	gone INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(topic_id) REFERENCES topic (id), 
	FOREIGN KEY(definition_id) REFERENCES schema_definition (id), 
	FOREIGN KEY(registry_id) REFERENCES registry (id), 
	FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "topic_schema" VALUES(1,1,'key',1,1,'.','orders-key',1,'101',1,0,'topic','orders-key','confirmed',3,1,2,NULL);
INSERT INTO "topic_schema" VALUES(2,1,'value',1,1,'.','orders-value',1,'101',0,0,'topic','orders-value','confirmed',3,1,2,NULL);
INSERT INTO "topic_schema" VALUES(3,1,'value',2,1,'.','orders-value',2,'102',1,0,'topic','orders-value','confirmed',3,1,2,NULL);
CREATE INDEX ix_scan_cluster ON scan (cluster_id);
CREATE INDEX ix_broker_cluster ON broker (cluster_id);
CREATE INDEX ix_consumer_group_topic_name ON consumer_group_topic (topic_name);
CREATE INDEX ix_registry_cluster ON registry (cluster_id);
CREATE INDEX ix_subject_name ON subject (name);
CREATE INDEX ix_subject_source ON subject (source_id);
CREATE INDEX ix_subject_version_definition ON subject_version (definition_id);
CREATE INDEX ix_subject_version_source ON subject_version (source_id);
CREATE INDEX ix_topic_schema_definition ON topic_schema (definition_id);
CREATE INDEX ix_topic_schema_source ON topic_schema (source_id);
CREATE INDEX ix_topic_schema_subject ON topic_schema (registry_id, subject);
CREATE INDEX ix_topic_schema_topic ON topic_schema (topic_id, is_current);
CREATE INDEX ix_ksql_source_cluster ON ksql_source (cluster_id);
CREATE INDEX ix_ksql_query_cluster ON ksql_query (cluster_id);
CREATE INDEX ix_manual_flow_cluster ON manual_flow (cluster_id);
CREATE INDEX ix_flow_node_name ON flow_node (name, namespace);
CREATE INDEX ix_flow_edge_source ON flow_edge (source_node_id);
CREATE INDEX ix_flow_edge_target ON flow_edge (target_node_id);
COMMIT;
