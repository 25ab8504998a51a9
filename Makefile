# Every target makes what it needs first: the environment in .venv, and for the tests a browser.
# PYTHON=python3.12 picks another interpreter.

SITE_DIR ?= site
PYTEST_ARGS ?= -n 2
SHARE ?= 1
FRAMEWORKS ?= axolotl llama-factory torchtitan
BIN := .venv/bin
# In GitHub Actions, errors in data/ appear in the pull request, at their lines.
CHECK_FORMAT := $(if $(GITHUB_ACTIONS),github,text)
export PYTHON
STACK_ENV := HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 TOKENIZERS_PARALLELISM=false TRANSFORMERS_VERBOSITY=error PYTHONWARNINGS=ignore

.DEFAULT_GOAL := help
.PHONY: help site serve test test-stack test-validators check format audit bench mutation zip lock licences clean distclean runtime dev .venv

help: ## show this list
	@echo 'usage: make TARGET'
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1  \2/p' Makefile | while read -r name text; do \
		printf '  %-15s %s\n' "$$name" "$$text"; done

site: runtime ## build the site into site/ (Python alone; no browser, no Node)
	@$(BIN)/trainfit build --site-dir '$(SITE_DIR)'

serve: runtime ## show the site on this machine and rebuild it on every change
	@$(BIN)/trainfit serve

check: dev ## lint, format, types, data
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/trainfit check --format $(CHECK_FORMAT)

test: check ## everything: check, then all tests, a real browser included
	@TRAINFIT_CHROMIUM="$$(scripts/ensure-browser)" && export TRAINFIT_CHROMIUM && \
		$(BIN)/pytest $(PYTEST_ARGS)

test-stack: dev ## the generated configurations with the real libraries, on the CPU and on a GPU where there is one (brings PyTorch)
	@scripts/bootstrap-stack
	@$(BIN)/python -m tests.stack.write_sample build/stack-sample
	@TRAINFIT_STACK_SAMPLE=whole $(BIN)/pytest -q tests/stack
	@$(STACK_ENV) CUDA_VISIBLE_DEVICES= DS_ACCELERATOR=cpu .venv-stack/bin/python -m pytest -q \
		-c tests/stack/installed/pytest.ini tests/stack/installed --ignore=tests/stack/installed/check_gpu.py
	@$(STACK_ENV) .venv-stack/bin/python -m pytest -q -s -c tests/stack/installed/pytest.ini tests/stack/installed/check_gpu.py

test-validators: dev ## the configurations by the validators of Axolotl, LLaMA-Factory and torchtitan; FRAMEWORKS=axolotl takes one
	@$(BIN)/python -m tests.stack.write_sample build/stack-sample
	@scripts/validate $(FRAMEWORKS)

format: dev ## rewrite the Python files in the house style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

audit: site ## size, Lighthouse and HTML validation of the built site; needs Node 20 or newer
	@find '$(SITE_DIR)' -type f -exec wc -c {} + | awk '$$2 != "total" { bytes += $$1; files++ } \
		END { print files, "files,", bytes, "bytes; GitHub Pages takes 1000000000"; exit bytes > 1e9 }'
	@npm ci --prefix audit --no-audit --no-fund --silent
	@cd '$(SITE_DIR)' && find . -name '*.html' -not -path './pagefind/*' -not -path '*/sources/*/*' \( -not -path '*/v/*' -o -path '*/qwen3-14b/*' \) -print0 \
		| xargs -0 -n 100 '$(CURDIR)/audit/node_modules/.bin/html-validate' --config '$(CURDIR)/audit/htmlvalidate.json'
	@node audit/lighthouse.mjs '$(SITE_DIR)' "$${TRAINFIT_CHROMIUM:-$$(scripts/ensure-browser)}"

bench: dev ## time the build and its parts
	@$(BIN)/python -m benchmarks

mutation: dev ## which wrong programs the tests notice; takes hours, SHARE=0.2 draws a fifth of them
	@scripts/bootstrap-mutation
	@rm -rf build/mutants
	@.venv-mutation/bin/python -m benchmarks.mutants build/mutants $(SHARE)
	@$(BIN)/python -m benchmarks.mutation build/mutants

zip: site ## pack the site for an intranet, with the hash of every file, into build/release/
	@$(BIN)/python scripts/pack.py '$(SITE_DIR)' build/release

licences: dev ## list the licence of every package that is used
	@$(BIN)/python scripts/licences.py

lock: dev ## pin the newest packages that requirements*.in allow
	@scripts/lock

clean: ## remove what was built; keep .venv
	@rm -rf build '$(SITE_DIR)' .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage

distclean: clean ## remove .venv too
	@rm -rf .venv trainfit.egg-info

runtime:
	@scripts/bootstrap runtime

dev .venv:
	@scripts/bootstrap dev
