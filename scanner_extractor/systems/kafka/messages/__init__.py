"""Definitions of messages of the Kafka protocol that kafka-python lacks, in the form in which it reads its own.

Source: the message guide of Apache Kafka 4.3; version 1 of StreamsGroupDescribe is that of KIP-1331 and KIP-1357.
"""
