"""Scanning: the cluster.json files, the engines that parse schemas, the scan itself and its report."""
