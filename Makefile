# Everything here works on a fresh clone with only python3 (3.11 or later, with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CODE := preflight tests $(wildcard benchmarks)
EXAMPLE := plan --exit-zero --from examples/rdma-incident/cluster examples/rdma-incident/plan.yaml

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types imports tests test-cluster truth fuzz mutate format vectors replay bench docs pins clean

help:
	@echo "make demo                runs the bundled example"
	@echo "make test                runs every check; with COVER=1 it also fails where the tests cover too little"
	@echo "make lint|types|imports|tests   runs one of them"
	@echo "make test-cluster        builds a real control plane and runs the tests on it (needs Go)"
	@echo "make truth KUBERNETES=1.30   the same, and test-cluster, on an older version: 1.30 or 1.34"
	@echo "make truth SEED=n        compares predictions with a real control plane: a random cluster, a fresh one without SEED"
	@echo "make truth DAEMONSETS=40 NODES=14   the same with a smaller one; also ROUNDS=n, and KIND='set image'"
	@echo "make truth KIND=capacity the same for the room for new pods: 100 worlds that the real scheduler fills"
	@echo "make truth KIND=faults   plants faults in 100 healthy clusters, and asks doctor what is broken"
	@echo "make truth KIND=drain    the same for ordinary pods: 40 drains, each done with the real kubectl"
	@echo "make fuzz SECONDS=n SEED=n   damages valid inputs, and checks what must be true of every answer"
	@echo "make fuzz WORLDS=n       checks it on n random clusters that nothing has damaged"
	@echo "make mutate PACKAGE=name COUNT=n SEED=n   changes the code a little, and prints what no test notices"
	@echo "make format              formats the code and applies the safe fixes"
	@echo "make vectors FILE=path   compares placements with a file of recorded answers"
	@echo "make replay FILE=path    replays a recorded cluster"
	@echo "make replay-WHAT FILE=path   replays recorded answers on WHAT: fit, drain, jobs, rollout"
	@echo "make bench               measures the speed"
	@echo "make docs                builds the documentation as a website into build/docs, and checks its links"
	@echo "make pins                pins the newest dependencies"

setup: $(VENV)/installed

# Two stamps: an edit of pyproject.toml installs the project again, and not everything that it stands on.
$(VENV)/pinned: requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "preflight needs Python 3.11 or later: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.txt
	@touch $@

$(VENV)/installed: $(VENV)/pinned pyproject.toml preflight/__init__.py
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	$(BIN)/preflight $(EXAMPLE)

# The types are checked while the tests run.
test: lint imports
	@$(MAKE) --no-print-directory -j2 types tests

lint: setup
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: setup
	$(BIN)/mypy $(CODE)

imports: setup
	$(BIN)/lint-imports

tests: setup
	$(BIN)/pytest --numprocesses=auto --dist=worksteal $(if $(COVER),--cov)

# The control plane that these use: KUBERNETES=1.30 or 1.34 in place of the newest.
truth test-cluster: export KUBERNETES := $(KUBERNETES)

truth: setup
	$(BIN)/python -m tests.truth $(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind '$(KIND)') $(if $(DAEMONSETS),--daemonsets $(DAEMONSETS)) \
		$(if $(NODES),--nodes $(NODES)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(WORLDS),--worlds $(WORLDS)) $(if $(DRAINS),--drains $(DRAINS))

fuzz: setup
	$(BIN)/python -m tests.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(WORLDS),--worlds $(WORLDS))

mutate: setup
	$(BIN)/python -m tests.mutate $(or $(PACKAGE),scheduling coverage change doctor evictions) $(if $(COUNT),--count $(COUNT)) \
		$(if $(SEED),--seed $(SEED))

test-cluster: setup
	$(BIN)/pytest -m cluster --durations=10 tests/cluster

format: setup
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

vectors: setup
	$(BIN)/python -m tests.replay.vectors $(or $(FILE),$(error say which file: make vectors FILE=path))

replay: setup
	$(BIN)/python -m tests.replay.cluster $(or $(FILE),$(error say which file: make replay FILE=path))

replay-%: setup
	$(BIN)/python -m tests.replay.$* $(or $(FILE),$(error say which file: make replay-$* FILE=path))

bench: setup
	$(BIN)/python -m benchmarks

# The generator is large, so it has an environment of its own.
DOCS := build/docs-tools

$(DOCS)/installed: requirements-docs.txt
	test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --require-hashes -r requirements-docs.txt
	@touch $@

docs: setup $(DOCS)/installed
	$(BIN)/python -m tests.docs_site
	$(DOCS)/bin/zensical build --strict --clean --config-file build/zensical.toml

COMPILE := build/pins/bin/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links

pins:
	$(PYTHON) -m venv --clear build/pins
	build/pins/bin/python -m pip install --quiet pip-tools
	$(COMPILE) --output-file requirements.txt pyproject.toml
	$(COMPILE) --extra live --output-file requirements-live.txt pyproject.toml
	$(COMPILE) --output-file requirements-dev.txt requirements-dev.in
	$(COMPILE) --output-file requirements-docs.txt requirements-docs.in

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
