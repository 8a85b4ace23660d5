CREATE TABLE a (x INT) WITH ('connector'='kafka', 'topic'='orders');
INSERT INTO b SELECT x FROM a;
