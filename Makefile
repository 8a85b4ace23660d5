# One door for people and for CI. `make demo` and `make test` set up everything they need.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: setup setup-test demo test check check-static format cases bench bench-large lab lab-foreign lab-test lab-example lab-stop docs clean

$(BIN)/scanner: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $(BIN)/scanner

$(VENV)/.test: pyproject.toml $(BIN)/scanner
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,spark,spark-connect,postgres]'
	@touch $(VENV)/.test

setup: $(BIN)/scanner ## the program, in .venv

setup-test: $(VENV)/.test ## the program and everything that its tests need

demo: setup ## the main job on the bundled example, without a network
	@sh examples/retail/demo.sh $(BIN)/scanner

test: setup-test ## every test, with branch coverage
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term:skip-covered

check: check-static test ## everything: format, lint, types, import contracts, tests

check-static: setup-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

cases: setup-test ## real schemas and their expected columns, where a folder of them is there
	$(BIN)/python benchmarks/cases.py $(CASES)

bench: setup-test ## every figure that the documentation names
	$(BIN)/python benchmarks/run.py

bench-large: setup-test ## graphs of up to ten million columns on Spark: a quarter of an hour, 2 GB of temporary files
	$(BIN)/python benchmarks/spark_rows.py

lab: setup-test ## a real retail estate on loopback: Kafka, Connect, registry, PostgreSQL, Flink, Spark
	@$(BIN)/python tests/lab/lab.py start

lab-foreign: setup-test ## beside the lab, a consumer of OpenLineage events that others wrote: Data.Rentgen
	@$(BIN)/python tests/lab/lab.py foreign

lab-test: setup-test ## the tests that ask the servers of `make lab`
	@$(BIN)/python tests/lab/lab.py test

lab-example: setup-test ## makes examples/retail a capture of the running lab, and compares its replay with the live scan
	@$(BIN)/python tests/lab/capture_example.py

lab-stop: ## ends every server of the lab and removes their data
	@$(BIN)/python tests/lab/lab.py stop

clean:
	rm -rf $(VENV) build dist *.egg-info .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
