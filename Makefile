# The same targets for people and for CI. `make demo` and `make test` set up everything that they need.
# The first of these that is Python 3.11 or newer; `make PYTHON=... VENV=...` chooses another one.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist loadgroup
# Tests with one of these markers are run by `make test-all`, and of each kind the one marked `smoke` by `make test`.
COSTLY = process or slow or spark or postgres or mariadb or browser
QUICK = smoke or not ($(COSTLY))
# Tests start the program hundreds of times: without bytecode, each start compiles all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-test setup-docs demo test slow test-rest test-all test-matrix check check-static format cases bench bench-large lab lab-foreign lab-clients lab-systems lab-test lab-example lab-stop docs pictures package single-file lint-deploy clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 16

$(BIN)/scanner: pyproject.toml
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "scanner needs Python 3.11 or newer; $(or $(PYTHON),python3) is $$($(or $(PYTHON),python3) --version 2>&1)." \
	    "Install one, or name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[server,code,terraform]'
	@touch $(BIN)/scanner

$(VENV)/.test: pyproject.toml $(BIN)/scanner
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,spark,spark-connect,postgres]'
	@touch $(VENV)/.test

$(VENV)/.docs: pyproject.toml $(VENV)/.test
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $(VENV)/.docs

setup: $(BIN)/scanner ## install the program into .venv, with the server and the readers of programs and Terraform

setup-test: $(VENV)/.test ## install the program and everything that its tests need

demo: setup ## scan and query the bundled example, without a network; prints commands to go on with
	@$(BIN)/scanner demo --output out/retail

setup-docs: $(VENV)/.docs ## install what builds the documentation, too

test: setup-test ## run the quick tests, and one of each costly kind; ARGS="-q" adds options of pytest
	$(PYTEST) --hypothesis-profile quick -m '$(QUICK)' $(ARGS)

slow: setup-test ## run the quick tests, and list the fifty slowest with what they set up
	$(PYTEST) --hypothesis-profile quick -m '$(QUICK)' --durations=50 -q $(ARGS)

test-rest: setup-test ## run the tests that `make test` leaves out
	$(PYTEST) -m 'not ($(QUICK))' $(ARGS)

test-all: setup-test ## run every test, with branch coverage
	$(PYTEST) --cov --cov-report=term:skip-covered

test-matrix: setup-test ## test the wheel on Python 3.11 to 3.13, with the oldest and the newest dependencies; ARGS="-q tests/..." for a part
	$(BIN)/python tools/test_matrix.py $(ARGS)

check: check-static test ## format, lint, types, import contracts, words, quick tests

check-static: setup-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_words.py
	$(BIN)/python tools/house.py

format: setup-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

cases: setup-test ## compare real inputs with their expected results; CASES names a directory of them
	$(BIN)/python benchmarks/cases.py $(CASES)

bench: setup-test ## measure every figure of docs/performance.md
	$(BIN)/python benchmarks/run.py

bench-large: setup-test ## measure graphs of up to ten million columns on Spark: 15 minutes, 2 GB of temporary files
	$(BIN)/python benchmarks/spark_rows.py

lab: setup-test ## start real servers on loopback: Kafka, Connect, registry, PostgreSQL, Flink, Spark
	@$(BIN)/python tests/lab/lab.py start

lab-foreign: setup-test ## start a third-party consumer of OpenLineage events beside the lab: Data.Rentgen
	@$(BIN)/python tests/lab/lab.py foreign

lab-clients: setup-test ## start clients with metrics, brokers with rules of access, and Prometheus; alone or beside the lab
	@$(BIN)/python tests/lab/lab.py clients

lab-systems: setup-test ## start servers of other makers, those that can be had: ksqlDB, registries, catalogs; alone or beside the lab
	@$(BIN)/python tests/lab/lab.py systems

lab-test: setup-test ## run the tests against the servers of `make lab`
	@$(BIN)/python tests/lab/lab.py test

lab-example: setup-test ## record examples/retail/capture from the running lab, and compare its replay with the live scan
	@$(BIN)/python tests/lab/capture_example.py

lab-stop: ## stop every server of the lab and remove their data
	@$(BIN)/python tests/lab/lab.py stop

docs: setup-docs ## write the generated pages, and build the documentation site into build/site
	for page in tools/pages/generate_*.py; do $(BIN)/python $$page || exit 1; done
	@# not with --quiet: MkDocs would count no warnings
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

pictures: setup-test ## draw the pictures of the documentation from the bundled example, with Chromium
	$(BIN)/python tools/pictures.py

package: setup ## build the wheel and the source distribution twice, compare them, and list what they need: build/package
	$(BIN)/python tools/package.py

EXTRAS ?= server
single-file: ## build the program with its dependencies as one file, build/scanner.pyz; EXTRAS="server,code" chooses extras
	@mkdir -p build
	$(PYTHON) -m venv build/shiv
	build/shiv/bin/pip install --quiet --disable-pip-version-check 'shiv>=1.0.8,<2'
	build/shiv/bin/shiv --quiet --console-script scanner --python '/usr/bin/env python3' --output-file build/scanner.pyz '.[$(EXTRAS)]'
	build/scanner.pyz --version

lint-deploy: setup ## lint the files for containers and CI systems
	$(BIN)/python tools/lint_deploy.py

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) build dist *.egg-info .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
