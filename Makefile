# `make` alone tells what there is. Only Python ≥ 3.10 with venv, a Rust toolchain and a C compiler are needed.

PYTHON ?= python3
SOURCES := $(shell git ls-files src python 2>/dev/null || find src python -type f) Cargo.toml Cargo.lock pyproject.toml

# With several jobs cargo would look for make's job server and not find it.
unexport MAKEFLAGS

.DEFAULT_GOAL := help
.PHONY: help demo test test-extras test-rust test-python test-aarch64 lint bench docs wheel develop clean

help: ## This list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv-demo/ready ## Learn the bundled ALARM data; picture, page and result file go to demo-output/
	@mkdir -p demo-output
	@.venv-demo/bin/phgs learn python/phgs/datasets/alarm.parquet \
	  --true-graph python/phgs/datasets/alarm-edges.csv \
	  --json demo-output/alarm.json --edges demo-output/alarm-edges.csv --plot demo-output/alarm.png \
	  --html demo-output/alarm.html --report demo-output/report.html
	@printf '%s\n' '' \
	  'Next:' \
	  '  open demo-output/alarm.html in a browser: the graph, to search and to ask' \
	  '  open demo-output/report.html: the whole analysis on one page' \
	  '  .venv-demo/bin/phgs describe YOUR.csv                   what stands out in your own table' \
	  '  .venv-demo/bin/phgs learn YOUR.csv --html graph.html    learn it' \
	  '  docs/examples/index.md                                  examples; `make docs` builds the site'

# In four units, so that several cores compile. It takes less work than sixteen, and runs as fast as the one unit with all
# optimisation in which wheels for others are built.
.venv-demo/ready: $(SOURCES)
	$(PYTHON) -m venv --clear .venv-demo
	.venv-demo/bin/python -m pip install --quiet --upgrade pip
	CARGO_PROFILE_RELEASE_LTO=false CARGO_PROFILE_RELEASE_CODEGEN_UNITS=4 \
	  .venv-demo/bin/python -m pip wheel --quiet --no-deps --wheel-dir .venv-demo/wheel .
	.venv-demo/bin/python -m pip install --quiet --no-compile "$$(ls .venv-demo/wheel/phgs-*.whl)[plot]"
	@touch $@

test: test-rust test-python ## All tests: the core's, then the installed wheel's

test-rust: ## The core's tests
	cargo test --locked --quiet

test-python: wheel ## Install the wheel into a fresh environment, beside the locked tools, and test it there
	rm -rf .venv-test
	$(PYTHON) -m venv .venv-test
	.venv-build/bin/python -c 'import site; print(site.getsitepackages()[0])' \
	  > "$$(.venv-test/bin/python -c 'import site; print(site.getsitepackages()[0])')/tools.pth"
	.venv-test/bin/python -m pip install --quiet --no-deps --force-reinstall dist/phgs-*.whl
	.venv-test/bin/python -m mypy.stubtest phgs._core --allowlist tests/stubtest-allowlist.txt
	.venv-test/bin/python -m pytest tests/python --doctest-modules --pyargs phgs

test-extras: dist/ready .venv-extras/ready ## What is exported, against the packages that it is exported to
	.venv-extras/bin/python -m pip install --quiet --no-deps --force-reinstall dist/phgs-*.whl
	.venv-extras/bin/python -m pytest tests/python -m extras --extras

.venv-extras/ready: requirements-extras.lock
	rm -rf .venv-extras
	$(PYTHON) -m venv .venv-extras
	.venv-extras/bin/python -m pip install --quiet --upgrade pip
	.venv-extras/bin/python -m pip install --quiet -r requirements-extras.lock
	@touch $@

.venv-build/ready: requirements-dev.lock
	$(PYTHON) -m venv .venv-build
	.venv-build/bin/python -m pip install --quiet --upgrade pip
	.venv-build/bin/python -m pip install --quiet -r requirements-dev.lock
	@touch $@

wheel: dist/ready ## Build the wheel into dist/

dist/ready: .venv-build/ready $(SOURCES)
	rm -f dist/phgs-*.whl
	.venv-build/bin/maturin build --release --locked --quiet --out dist
	@touch $@

# Debian and Ubuntu: apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross; rustup target add $(ARM).
ARM := aarch64-unknown-linux-gnu

test-aarch64: ## The counting core's tests on 64-bit ARM, emulated by qemu
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
	  cargo test --locked --quiet --target $(ARM) --lib --test core -- counts:: counting:: families::

lint: .venv-build/ready ## Formatting, lints, spelling and types
	cargo fmt --check
	cargo clippy --locked --quiet --all-targets -- -D warnings
	cargo clippy --locked --quiet --lib --features python -- -D warnings
	.venv-build/bin/ruff format --check --quiet python tests/python docs benches .ci
	.venv-build/bin/ruff check --quiet python tests/python docs benches .ci
	.venv-build/bin/typos
	.venv-build/bin/mypy

bench: ## Benchmarks of the core (criterion)
	cargo bench --locked

docs: wheel .venv-docs/ready ## Build the documentation into site/
	.venv-docs/bin/python -m pip install --quiet --no-deps --force-reinstall dist/phgs-*.whl
	.venv-docs/bin/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs site
	.venv-docs/bin/python docs/tools/links.py site

.venv-docs/ready: requirements-docs.lock
	rm -rf .venv-docs
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --upgrade pip
	.venv-docs/bin/python -m pip install --quiet -r requirements-docs.lock
	@touch $@

develop: .venv-build/ready ## An editable install in .venv-build, for work on the package
	.venv-build/bin/python -m pip install --quiet --no-deps --editable .

clean: ## Remove what was built
	rm -rf .venv-build .venv-demo .venv-docs .venv-extras .venv-test build dist demo-output site target
