# One command per intention; CMakePresets.json has the details. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Ninja and ctest use all cores by themselves; two targets at once would only be in each other's way.
.NOTPARALLEL:

sources = $(shell git -c safe.directory='*' ls-files '*.cpp' '*.hpp')

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: packages configure ## the program: build/bin/starope
	cmake --build --preset dev --target starope_app

test: packages-test configure-python ## everything that must hold: unit tests, laws, customers, Python, documentation
	cmake --build --preset dev
	ctest --preset dev

demo: build ## simulated CartPole logs, evaluated by several estimators, beside the true value
	@tools/demo.sh

PYTHON ?= build/venv/bin/python
wheel: packages packages-python ## the Python package as a wheel that brings its libraries along: make wheel [PYTHON="python3.10 python3.12"]
	build/venv/bin/python -B tools/make_wheel.py dist $(PYTHON)

sdist: packages packages-python ## the Python package as sources that build without Debian's packages, tried out: dist/
	build/venv/bin/python -B tools/make_sdist.py dist
	build/venv/bin/python -B tools/try_sdist.py dist

web: build packages-page ## one HTML file that evaluates logs in a browser: build/starope.html (some minutes)
	cmake --preset web
	cmake --build --preset web --target starope_engine
	python3 -B web/make_examples.py build/bin/starope build/web/examples
	python3 -B web/make_page.py build/web/bin build/npm build/web/examples build/starope.html

webtest: web packages-test ## that page in Debian's Chromium, beside the program
	cmake --build --preset web --target starope_vectors_test
	node -e 'delete globalThis.fetch; require("./build/web/bin/vectors_test.js")'  # emscripten 3.1.6 would fetch a file with it
	node web/browser_test.mjs build/starope.html build/bin/starope build/npm "$$(command -v chromium)"

webbench: web packages-test ## how long that page takes beside the program with one thread
	node web/measure.mjs build/starope.html build/bin/starope build/npm "$$(command -v chromium)"

lint: packages-lint ## format and clang-tidy, every finding an error
	@clang-format-14 --dry-run --Werror $(sources)
	python3 -B tests/lint/lint.py all clang-tidy-14 . cmake build/tidy

format: packages-lint ## rewrites the sources in the project's format
	@clang-format-14 -i $(sources)

asan: packages-sanitizers ## the tests under the address and undefined-behavior sanitizers
	cmake --workflow --preset asan

tsan: packages-sanitizers ## the tests under the thread sanitizer
	cmake --workflow --preset tsan

clang: packages-clang ## the tests, built by clang instead of g++
	cmake --workflow --preset clang

FUZZ_SECONDS ?= 300
fuzz: packages-lint ## fuzzers of everything that reads what others wrote, five minutes each: make fuzz [FUZZ_SECONDS=N]
	cmake --preset fuzz
	cmake --build --preset fuzz
	tools/fuzz.sh $(FUZZ_SECONDS)

bench: packages-bench ## the benchmarks, in the optimized build
	cmake --preset release
	cmake --build --preset release
	for program in build/release/bin/*_benchmark; do echo "== $$program"; "$$program"; done

REV ?= main
COMPARE ?=
bench-compare: packages-bench ## this tree beside another revision, as ratios with intervals: make bench-compare REV=v0.2.0 [COMPARE="--rounds 3"]
	python3 -B tools/bench_compare.py "$(REV)" $(COMPARE)

RESULTS ?= results/paper
study: need-dynamics packages packages-bench ## the paper's study, about an hour: make study DYNAMICS=FILE [RESULTS=FOLDER]; goes on where it stopped
	cmake --preset release
	cmake --build --preset release --target starope_app
	mkdir -p "$(dir $(RESULTS))"
	build/release/bin/starope study paper --dynamics "$(DYNAMICS)" -o "$(RESULTS)" --resume
	build/release/bin/starope report "$(RESULTS)" -o "$(RESULTS)/report.html"

docs: docs-pages docs-site ## both of the next two

docs-pages: packages configure ## rewrites the generated parts of docs/
	python3 -B tools/architecture.py build/modules.tsv docs/architecture.md
	cmake --build --preset dev --target starope_findings_page starope_estimators_page starope_verdict_page
	for page in findings estimators verdict; do build/bin/starope_$${page}_page > build/$$page.md && cp build/$$page.md docs/$$page.md; done

docs-site: packages-docs configure-python ## the documentation as a site, every warning an error: build/site/index.html
	cmake --build --preset dev --target starope_core
	mkdir -p build/docs/doxygen
	(cat docs/Doxyfile; echo OUTPUT_DIRECTORY=build/docs/doxygen) | doxygen -
	python3 -B tools/docs_site.py stage build/docs/source
	STAROPE_DOXYGEN="$(CURDIR)/build/docs/doxygen/xml" STAROPE_PACKAGE="$(CURDIR)/build/python" \
	  build/docs-venv/bin/python -B -m sphinx --fresh-env --fail-on-warning --keep-going --quiet -b html -c docs -d build/docs/trees build/docs/source build/site

docs-pictures: packages-test build ## draws the pictures of docs/ again, from the program's own answers
	node tools/docs_pictures.mjs build/bin/starope build/npm docs/pictures

clean: ## removes build/ and demo/
	rm -rf build demo

need-dynamics:
	@test -n "$(DYNAMICS)" || { echo "make study needs the tables of ICU-Sepsis: make study DYNAMICS=sepsis_dynamics.npz (see starope simulate --list)" >&2; exit 2; }
packages:
	@tools/install_dependencies.sh build web
packages-test:
	@tools/install_dependencies.sh build web browser duckdb lint python
packages-sanitizers:
	@tools/install_dependencies.sh build web browser duckdb
packages-clang:
	@tools/install_dependencies.sh build web browser duckdb lint
packages-page:
	@tools/install_dependencies.sh build web page
packages-python:
	@tools/install_dependencies.sh build web python
packages-lint:
	@tools/install_dependencies.sh build lint
packages-docs:
	@tools/install_dependencies.sh build web python docs
packages-bench:
	@tools/install_dependencies.sh build bench

configure:
	cmake --preset dev

# STAROPE_WITHOUT_PYTHON=1 make test: on a machine that cannot have the Python package.
configure-python:
	if [ -z "$${STAROPE_WITHOUT_PYTHON:-}" ]; then \
	  cmake --preset dev -D STAROPE_BUILD_PYTHON=ON -D Python_EXECUTABLE="$(CURDIR)/build/venv/bin/python"; \
	else cmake --preset dev -D STAROPE_BUILD_PYTHON=OFF; fi

.PHONY: need-dynamics help build test demo lint format asan tsan clang fuzz bench bench-compare study docs docs-pages docs-site docs-pictures clean packages packages-test packages-sanitizers packages-clang packages-python packages-lint packages-bench packages-docs packages-page configure configure-python wheel sdist web webtest webbench
