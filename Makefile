# Needs python3 (3.11 or later), pip and make. Everything else is installed into .venv.
#
#   make demo    run the demonstration
#   make test    style, types, tests and every example in the documents
#   make test-without-jax   the tests where JAX cannot be imported, as without the extra `jax`
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

.PHONY: demo test test-without-jax fuzz honesty zoo bench gpu-test gpu-bench docs lock clean

demo: $(STAMP)
	@$(BIN)/python examples/demo.py

test: $(STAMP)
	@echo "== style (ruff check)"
	@$(BIN)/ruff check
	@echo "== format (ruff format)"
	@$(BIN)/ruff format --check
	@echo "== types (pyright)"
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	@echo "== tests and examples (pytest)"
	@$(BIN)/python -m pytest -n auto

test-without-jax: $(STAMP)
	@PERCUSS_TEST_WITHOUT_JAX=1 $(BIN)/python -m pytest -n auto

fuzz: $(STAMP)
	@$(BIN)/python -m tests.fuzz $(if $(AGAIN),--again $(AGAIN)) $(if $(SEED),--seed $(SEED)) \
		$(if $(COUNT),--count $(COUNT)) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(KINDS),--kinds $(KINDS)) $(if $(WORKERS),--workers $(WORKERS)) \
		$(if $(SIGNALS),--signals $(SIGNALS))

honesty: $(STAMP)
	@$(BIN)/python -m tests.identify --out docs/theory/honesty.md \
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
