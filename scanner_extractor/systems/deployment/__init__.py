"""Deployment files: what Strimzi, Confluent for Kubernetes, jikkou, kafka-gitops, JulieOps and Connect deploy."""
