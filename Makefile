# Needs python3 (3.11 or later), pip and make. Everything else is installed into .venv.
#
#   make help    this list
#   make demo    run the demonstration
#   make check   before each commit, within two minutes on two cores: style, format, types, and the
#                tests that tests/quick.txt names, some of every package
#   make test    style, format, types, all tests but the studies in full, of which it runs samples,
#                and every example in the documents
#   make studies the statistical studies in full: hundreds of cases where `make test` has dozens
#   make explore Hypothesis with examples that are new in every run, ten times as many
#                (of some tests alone: make explore ARGS='tests/impact tests/kernel/test_maps.py')
#   make test-without-jax   `make test` where JAX cannot be imported, as without the extra `jax`
#   make fuzz    100,000 mutated inputs and 200 signals, 60 minutes at most (seeds are fixed; to
#                explore: make fuzz SEED=7 COUNT=5000 MINUTES=10 KINDS=scenario,urdf WORKERS=1)
#   make honesty   5,000 hostile records of known truth, identified and judged; goes on where it
#                stopped (COUNT=500 SEED=7)
#   make zoo     read 173 real URDF files of public packages, compared with Pinocchio
#   make bench   speed against MuJoCo and Pinocchio
#   make docs    the documentation as HTML, in docs/_build/html
#   make lock    pin what pyproject.toml asks for, keeping present pins (UPGRADE=1: newest)
#   make clean   remove what was built (to remove the environment too: rm -rf .venv .tools)

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

# On a machine with an NVIDIA GPU; GPU_PYTHON may be any Python with CuPy, JAX and pytest.
#   make gpu-test   the CUDA back end against the NumPy one, many cases against those on cores
#   make gpu-bench  every figure promised for GPUs (to try a level of the driver: ARGS='--level 1')
GPU_PYTHON ?= $(BIN)/python

.PHONY: help demo check style types quick test tests studies explore test-without-jax fuzz honesty
.PHONY: zoo bench gpu-test gpu-bench docs lock clean

# Files that one process reads from the first to the last share what it compiles.
PYTEST := $(BIN)/python -m pytest
TOGETHER := -n auto --dist worksteal

help:
	@sed -n '/^#   make/,/^[^#]/{/^#   /s/^#   //p;}' Makefile

demo: $(STAMP)
	@$(BIN)/python examples/demo.py

# The types take as long as the tests: each has a core.
check: $(STAMP) style
	@$(MAKE) --no-print-directory -j2 types quick

style: $(STAMP)
	@echo "== style (ruff check)"
	@$(BIN)/ruff check
	@echo "== format (ruff format)"
	@$(BIN)/ruff format --check

types: $(STAMP)
	@echo "== types (pyright)"
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

quick: $(STAMP)
	@echo "== some tests of every package (pytest)"
	@$(PYTEST) @tests/quick.txt

# One core has nothing else to do at the end of the tests.
test: $(STAMP) style
	@$(MAKE) --no-print-directory -j2 types tests

tests: $(STAMP)
	@echo "== tests and examples (pytest)"
	@$(PYTEST) $(TOGETHER) -m "not study" $(ARGS)

studies: $(STAMP)
	@PERCUSS_STUDIES=1 $(PYTEST) $(TOGETHER) -m "study or sampled" $(ARGS)

explore: $(STAMP)
	@$(PYTEST) $(TOGETHER) --hypothesis-profile=explore -m "hypothesis and not study" $(ARGS)

test-without-jax: $(STAMP)
	@PERCUSS_TEST_WITHOUT_JAX=1 $(PYTEST) $(TOGETHER) -m "not study"

fuzz: $(STAMP)
	@$(BIN)/python -m tests.fuzz $(if $(AGAIN),--again $(AGAIN)) $(if $(SEED),--seed $(SEED)) \
		$(if $(COUNT),--count $(COUNT)) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(KINDS),--kinds $(KINDS)) $(if $(WORKERS),--workers $(WORKERS)) \
		$(if $(SIGNALS),--signals $(SIGNALS))

honesty: $(STAMP)
	@$(BIN)/python -m tests.identification --out docs/theory/honesty.md \
		$(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

zoo: $(STAMP)
	@PYTHON="$(PYTHON)" scripts/bootstrap zoo
	@$(BIN)/python -m tests.zoo .zoo

bench: $(STAMP)
	@$(BIN)/python -m benchmarks

gpu-test:
	@PYTHONPATH=src:$(PYTHONPATH) $(GPU_PYTHON) -m pytest -rs tests/kernel/test_cuda.py \
	  tests/kernel/test_cuda_physics.py tests/encounter/test_many_bits.py

gpu-bench:
	@PYTHONPATH=src:$(PYTHONPATH) $(GPU_PYTHON) -m benchmarks.gpu $(ARGS)

docs: $(STAMP)
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo docs/_build/html/index.html

lock:
	@PYTHON="$(PYTHON)" exec scripts/bootstrap lock $(if $(UPGRADE),--upgrade)

clean:
	@rm -rf docs/_build build dist .pytest_cache .ruff_cache .hypothesis
	@find src tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Rewritten whenever the lock or the package's own description changes.
$(STAMP): requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" exec scripts/bootstrap
