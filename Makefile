# Everything a developer runs. Each target sets up what it needs in a local virtual environment;
# the machine needs python3 (3.11 to 3.13), pip and make.

PYTHON ?= python3
VENV ?= .venv
# The versions that `make test` also tries, where they are installed.
VERSIONS := 3.11 3.12 3.13
# More arguments for pytest, such as ARGS="-k fusion -x", or for octavo bench.
ARGS ?=
PYTEST := $(VENV)/bin/python -m pytest -q -n auto

CORE := $(VENV)/.installed-core
DEVELOPMENT := $(VENV)/.installed-development

.NOTPARALLEL:
.PHONY: help test test-all test-neo4j test-models test-fast test-others lint format docs bench demo clean

help: ## Show the targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1 - /p' $(MAKEFILE_LIST) | awk -F ' - ' '{printf "  %-12s %s\n", $$1, $$2}'

test: lint docs test-all test-others ## Everything: lint, docs, all tests, other installed interpreters (.ci/run does this).

test-all: $(DEVELOPMENT) ## Tests and doctests on the default interpreter, slow ones and those of a database server too.
	$(PYTEST) $(ARGS)

test-neo4j: $(DEVELOPMENT) ## Tests against a database server, which they install and start.
	$(PYTEST) -m neo4j tests/graph/neo4j $(ARGS)

test-models: $(DEVELOPMENT) ## Tests with a real sentence-transformers model, which is installed (2 GB, and PyTorch).
	.ci/install $(VENV) $(PYTHON) test-models
	$(PYTEST) -n 0 tests/embeddings/test_sentence_transformer_embedding.py $(ARGS)

test-fast: $(DEVELOPMENT) ## Tests and doctests on the default interpreter, without the slow ones and those of a database server or a cluster.
	$(PYTEST) -m "not slow and not neo4j and not ray" $(ARGS)

test-others: $(DEVELOPMENT) ## Tests and doctests, without the slow ones, on the other installed interpreters.
	@for version in $(VERSIONS); do .ci/test-on $$version $(VENV)/bin/python $(ARGS) || exit 1; done

lint: $(DEVELOPMENT) ## Style, format, types and the layer rule.
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

format: $(DEVELOPMENT) ## Format the code and apply the safe fixes.
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

docs: $(DEVELOPMENT) ## Build the documentation into site/, warnings are errors.
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict --config-file .mkdocs.yml

bench: $(CORE) ## Run the benchmark suite; ARGS="--suite full" and so on, see octavo bench --help.
	$(VENV)/bin/octavo bench $(ARGS)

demo: $(CORE) ## Index the documentation of the Python installation and answer questions about it.
	$(VENV)/bin/octavo demo

clean: ## Remove what the other targets made, virtual environments too.
	rm -rf .venv .venv-* site build dist octavo-demo .benchmarks .hypothesis
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): pyproject.toml
	.ci/install $(VENV) $(PYTHON)
	@touch $@

$(DEVELOPMENT): pyproject.toml
	.ci/install $(VENV) $(PYTHON) test,test-adapters,test-cluster,lint,docs
	@touch $(CORE) $@
