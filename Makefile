# The verbs of this project. Everything they need is installed into .venv, from PyPI.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip --quiet --disable-pip-version-check
# uv installs in a third of pip's time; where it can't, for it knows no pip.conf, pip does.
UV := UV_FIND_LINKS="$$PIP_FIND_LINKS" $(BIN)/uv pip install --quiet --python .venv
SAMPLE := tests/samples/codex-0.171.0
SAMPLES := forks-paginated spawn-v2-paginated review revert-paginated

.DEFAULT_GOAL := help
.PHONY: help run install test check format clean

help: ## Show what can be done here.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

run: .venv/.can-run ## Serve the graph of some sample conversations, from a local Neo4j.
	$(BIN)/lineage serve $(SAMPLES:%=--import-if-empty $(SAMPLE)/%/home)

install: .venv/.can-test ## Install what running and testing need.

test: .venv/.can-test ## Run the tests, on a real Neo4j that they start themselves.
	$(BIN)/pytest

check: .venv/.can-test ## Check form, lint, types and import directions.
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright
	$(BIN)/pyright --project client
	$(BIN)/lint-imports
	$(BIN)/lint-imports client/pyproject.toml

format: .venv/.can-test ## Bring the code into its form.
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean: ## Remove what was installed and cached here.
	rm -rf .venv bench/neo4j_graphql/node_modules tests/api/graphql_http/node_modules tests/real_agents/*/node_modules client/dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage

.venv/.exists:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install uv==0.13.9 || true
	@touch $@

.venv/.can-run: pyproject.toml | .venv/.exists
	$(UV) --editable '.[local]' || $(PIP) install --editable '.[local]'
	@touch $@

.venv/.can-test: .venv/.can-run client/pyproject.toml
	$(UV) --group dev --editable ./client || \
		{ $(PIP) install 'pip>=25.1' && $(PIP) install --group dev --editable ./client; }
	@touch $@
