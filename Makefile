# Two commands set everything up on a fresh machine with Python 3.11.2+: `make demo` and `make test`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
EXTRAS := dev
BIN := .venv/bin
# What one process has compiled is read by all that a target starts, whatever the shell has set.
export PYTHONDONTWRITEBYTECODE :=
# One more than cores: now and then a test waits for a process that it has started.
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
, := ,
SLOW := tests/newcomer tests/e2e tests/console tests/scale tests/real_docs tests/misbehaving tests/widget_cases tests/proxies tests/packaging tests/image tests/docs/running tests/reach tests/recipes tests/processes

.PHONY: help
help: ## Show this list
	@awk -F':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Use it

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 2) and "Docent needs Python 3.11.2 or newer; set PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	@touch $@

# Without the developers' tools; an environment that has them does as well.
.venv/usable: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 2) and "Docent needs Python 3.11.2 or newer; set PYTHON=...")'
	@echo "Installing Docent into .venv, once; this takes a minute or two."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --editable .
	@touch $@

USABLE := $(if $(wildcard .venv/installed),.venv/installed,.venv/usable)

.PHONY: install
install: $(USABLE) ## Make the virtual environment in .venv, without the developers' tools
	@echo "Docent is installed: $(BIN)/docent"

.PHONY: demo
demo: $(USABLE) ## Crawl a website and answer questions about it, from nothing (SITE=https://... for your own)
	$(BIN)/docent demo $(if $(SITE),--site $(SITE))

.PHONY: report
report: $(USABLE) ## Say what a website answers, contradicts and has left to age (SITE=https://...; OUT=report.html, QUESTIONS=CSV)
	@test -n "$(SITE)" || { echo "Name the website: make report SITE=https://www.example.com"; exit 2; }
	$(BIN)/docent report $(SITE) $(if $(OUT),--out $(OUT)) $(if $(QUESTIONS),--questions $(QUESTIONS))

##@ Check a change

.PHONY: check
check: lint test ## All that must hold before a commit

.PHONY: lint
lint: .venv/installed ## Format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: test
test: .venv/installed ## Run the tests that need nothing but Python (minutes)
	$(BIN)/pytest tests $(addprefix --ignore=,$(SLOW)) --numprocesses $(WORKERS) --dist worksteal

.PHONY: format
format: .venv/installed ## Put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

##@ The rest of the checks

widget/node_modules/.package-lock.json: widget/package-lock.json
	npm --prefix widget ci --silent
	@touch $@

LOOP_IN_BROWSER := tests/e2e/test_operator_loop.py
REACH_IN_BROWSER := tests/e2e/test_npm_packages.py tests/e2e/test_widget_searches.py

.PHONY: test-browser
test-browser: .venv/installed widget/node_modules/.package-lock.json ## Drive the widget in a real browser, but for what test-operator and test-reach do (needs Debian's chromium, Node 20)
	$(BIN)/pytest tests/e2e $(addprefix --ignore=,$(LOOP_IN_BROWSER) $(REACH_IN_BROWSER))

.PHONY: test-operator
test-operator: .venv/installed widget/node_modules/.package-lock.json ## Drive the console in a real browser, and the whole loop of a gap (needs Debian's chromium, Node 20)
	$(BIN)/pytest tests/console
	$(BIN)/pytest $(LOOP_IN_BROWSER)

OIDC_PROVIDER := tests/reach/oidc_provider

$(OIDC_PROVIDER)/node_modules/.package-lock.json: $(OIDC_PROVIDER)/package-lock.json
	npm --prefix $(OIDC_PROVIDER) ci --silent
	@touch $@

.PHONY: test-reach
test-reach: .venv/installed $(OIDC_PROVIDER)/node_modules/.package-lock.json widget/node_modules/.package-lock.json ## Ask agents by the clients of the interfaces for programs; sign in at an OpenID provider; mail, tickets, npm packages, search (needs Debian's chromium, Node 20)
	$(BIN)/pytest tests/reach
	$(BIN)/pytest tests/mail tests/providers/help_desks
	$(BIN)/pytest $(REACH_IN_BROWSER)

.PHONY: test-tutorial
test-tutorial: .venv/installed ## Walk the tutorial block by block, and make the guides' calls, on a real server (needs curl, openssl)
	$(BIN)/pytest tests/docs/running

.PHONY: test-newcomer
test-newcomer: .venv/installed ## Install the wheel as a new user would, with pipx and uvx, then type README's commands, and a few wrong ones (needs curl)
	$(BIN)/pytest tests/newcomer

.PHONY: test-recipes
test-recipes: .venv/installed widget/node_modules/.package-lock.json ## Build websites by the recipes of docs/how-to/recipes.md with the real tools, and use the widget in them (downloads them from npm and PyPI once; needs Debian's chromium, Node 20; php-cli for one)
	$(BIN)/pytest tests/recipes

.PHONY: test-docs
test-docs: .venv/installed ## Crawl Debian's PostgreSQL manual and ask about it; read 300 pages twice (needs postgresql-doc-15)
	$(BIN)/pytest tests/real_docs

.PHONY: test-cases
test-cases: .venv/installed widget/node_modules/.package-lock.json ## The security cases, counted by file (DOCENT_CASES=DIR for another set; needs Node 20)
	$(BIN)/python -m tests.cases

.PHONY: test-api
test-api: .venv/installed ## Call the API in every way that its document allows, and others (EXAMPLES=200 SEED=7 for a night; installs schemathesis)
	@$(BIN)/python -c 'import schemathesis' 2>/dev/null || $(BIN)/python -m pip install --quiet --editable '.[fuzz]'
	$(BIN)/python -m tests.api --examples $(or $(EXAMPLES),3) --seed $(or $(SEED),1)

.PHONY: test-security
test-security: .venv/installed ## Run every test that docs/security.md names, and count the cases of each threat
	$(BIN)/python -m tests.security

.PHONY: test-long
test-long: .venv/installed ## Play 500 examples of whatever operators, visitors and crashes may do, and of each property (EXAMPLES=5000 for more)
	DOCENT_EXAMPLES=$(or $(EXAMPLES),500) $(BIN)/pytest tests $(addprefix --ignore=,$(SLOW)) -m hypothesis --timeout 3600

.PHONY: test-faults
test-faults: .venv/installed ## 1,000 turns, or TURNS=N, while clients, providers, Redis and processes fail (POSTGRES=1: that as well; needs redis-server; DOCENT_SEED replays a run)
	$(BIN)/python -m tests.nemesis $(if $(TURNS),--turns $(TURNS)) $(if $(POSTGRES),--postgres)

.PHONY: test-faults-crawl
test-faults-crawl: .venv/installed ## Crawl sites that misbehave: bombs, traps, storms, rebinding
	$(BIN)/pytest tests/misbehaving

.PHONY: test-processes
test-processes: .venv/installed ## Run servers, workers, the demo and commands as real processes: kills, half requests, what they look up and write (needs strace, postgresql)
	$(BIN)/pytest tests/processes --numprocesses 2 --dist loadfile

.PHONY: test-fleet
test-fleet: .venv/installed ## Three machines behind nginx read three websites and answer visitors, while processes, Postgres and Redis are struck (PAGES=300 TURNS=300 ROUNDS=3 for more; needs redis-server, postgresql, nginx-light)
	$(BIN)/python -m tests.fleet $(if $(PAGES),--pages $(PAGES)) $(if $(TURNS),--turns $(TURNS)) $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: test-scale
test-scale: .venv/installed ## The same contracts on Redis and an object store, several machines, and visitors who ask while Postgres fails (needs redis-server, postgresql)
	$(BIN)/pytest tests/scale

.PHONY: test-postgres
test-postgres: .venv/installed ## The record's own tests on Postgres (needs Debian's postgresql)
	DOCENT_TEST_POSTGRES=own $(BIN)/pytest tests/store -k postgres

.PHONY: test-proxies
test-proxies: .venv/installed ## Answers through a real nginx that buffers, and all of it below a path (needs nginx-light, Debian's chromium)
	$(BIN)/pytest tests/proxies

.PHONY: test-packaging
test-packaging: .venv/installed ## Render and lint the Helm chart, and check compose and Fly files (installs Helm's code, 75 MB; needs nginx-light)
	@$(BIN)/python -c 'import check_jsonschema, helm_python, kubernetes_validate' 2>/dev/null || $(BIN)/python -m pip install --quiet --editable '.[packaging]'
	$(BIN)/pytest tests/packaging

.PHONY: test-image
test-image: .venv/installed ## Build the Dockerfile without an engine, and start it as user 10001 on a read-only root (as root; needs buildah, mmdebstrap)
	$(BIN)/pytest tests/image

##@ Measure answers

.PHONY: eval-sites
eval-sites: .venv/installed ## Ask over real documentation sites that Docent crawls itself, and mark the answers (SITES=DIR for another set, ONLY=kicad,i3 for some sites)
ifneq ($(and $(SITES),$(wildcard $(SITES)/run.py)),)
	$(PYTHON) $(SITES)/run.py --docent $(BIN)/docent --data .venv/eval-sites --fetch $(if $(ONLY),--sites $(ONLY))
else
	$(BIN)/python -m bench.eval_sites $(if $(SITES),--set $(SITES)) $(if $(ONLY),--sites $(ONLY))
endif

.PHONY: eval
eval: .venv/installed ## Measure retrieval on a set of questions (DATA=DIR)
	@test -n "$(DATA)" || { echo "Name the set: make eval DATA=path/to/set (documents, chunks and queries .jsonl.gz)"; exit 2; }
	$(BIN)/docent eval $(DATA)

.PHONY: eval-demo
eval-demo: .venv/installed ## Measure retrieval on our own 60 questions over the demonstration site
	$(BIN)/python -m tests.demo_set .venv/demo-set
	$(BIN)/docent eval .venv/demo-set --chunks own

.PHONY: eval-quotes
eval-quotes: .venv/installed ## Count the answers without a model that hold what the demonstration site's questions ask for, in English and four other languages
	@rm -rf .venv/demo-quotes
	$(BIN)/python -m tests.demo_quotes .venv/demo-quotes

.PHONY: eval-languages
eval-languages: .venv/installed ## Measure search and abstention by language on xquad, faq_multi and translated questions (DATA=DIR with xquad, faq_multi, help_centres; BEFORE= an earlier languages.json)
	@test -n "$(DATA)" || { echo "Name the sets: make eval-languages DATA=path/to/eval"; exit 2; }
	$(BIN)/python -m tests.language_table $(DATA) .venv/eval-languages $(BEFORE)

.PHONY: eval-paraphrases
eval-paraphrases: .venv/installed ## Measure how well questions in other words are found to be one gap
	$(BIN)/python -m tests.paraphrases

.PHONY: eval-answer-check
eval-answer-check: .venv/installed ## Measure how many planted errors the check of a model's answers finds, and what it marks wrongly
	$(BIN)/python -m tests.planted_errors

.PHONY: eval-model
eval-model: .venv/installed ## Play answers as chat models write them through the whole path (DATA="DIR ..." for further answers, MODEL_URL= MODEL_NAME= MODEL_KEY= to ask an endpoint)
	@MODEL_URL="$(MODEL_URL)" MODEL_NAME="$(MODEL_NAME)" MODEL_KEY="$(MODEL_KEY)" $(BIN)/python -m tests.model_answers $(DATA)

.PHONY: eval-reader
eval-reader: .venv/installed ## Measure the reader beside trafilatura on public suites of main content (DATA=DIR)
	@test -n "$(DATA)" || { echo "Name the suites: make eval-reader DATA=path/to/suites (pages.tar.xz, expected.jsonl.gz)"; exit 2; }
	$(BIN)/python -m bench.reader_suites $(DATA)

.PHONY: bench-extraction
bench-extraction: .venv/installed ## Measure extraction on real pages beside trafilatura (downloads Debian packages)
	$(BIN)/python -m bench.extraction

##@ Measure speed and size

.PHONY: bench
bench: .venv/installed ## Measure all figures of bench/results.json, and write it (about 25 minutes; ROUNDS=2 for a glance; after bench-peers and bench-crawl, for two of them)
	$(BIN)/python -m bench.suite $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-check
bench-check: .venv/installed ## Measure them again, and fail where one is more than 15 % above bench/results.json (ONLY=index_calls,turn_size for the two that hold beside other work)
	$(BIN)/python -m bench.suite --check $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only $(ONLY))

.PHONY: bench-stages
bench-stages: .venv/installed ## Measure the stages of an answer beside their floors
	$(BIN)/python -m bench.answer_path

.PHONY: bench-question
bench-question: .venv/installed ## Measure the processor time of one question beside a bare server (BEFORE=REVISION for another tree)
	$(BIN)/python -m bench.question $(if $(BEFORE),--before $(BEFORE))

.PHONY: bench-tokens
bench-tokens: .venv/installed ## Measure the processor time of a streamed token beside the bare libraries (BEFORE=REVISION for another tree)
	$(BIN)/python -m bench.token_cost $(if $(BEFORE),--before $(BEFORE))

.PHONY: bench-load
bench-load: .venv/installed ## Measure a web process, or PROCESSES of them, under 300 and 1,000 streams, and for 20 minutes under 100 (SOAK=MINUTES)
	$(BIN)/python -m bench.load $(if $(SOAK),--soak-minutes $(SOAK)) $(if $(PROCESSES),--processes $(PROCESSES))

.PHONY: bench-fleet
bench-fleet: .venv/installed ## Measure a question and a token on one machine and on several, by kind of process (ROUNDS=1 for a glance; needs redis-server, postgresql, nginx-light)
	$(BIN)/python -m bench.fleet $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-at-rest
bench-at-rest: .venv/installed ## Measure what a web process costs until it is ready, and holds at rest
	$(BIN)/python -m bench.at_rest

.PHONY: bench-sizes
bench-sizes: .venv/installed ## Measure agents of 1,000 to 1,000,000 chunks and 1,000 agents (SIZES="1x1000 1x10000" for a glance; needs postgresql-doc-15, an hour)
	$(BIN)/python -m bench.sizes $(if $(SIZES),--sizes $(SIZES)) $(if $(FOLDER),--folder $(FOLDER))

.PHONY: bench-indexing
bench-indexing: .venv/installed ## Measure the processor time of indexing beside the embedder alone
	$(BIN)/python -m bench.indexing

.PHONY: bench-crawl
bench-crawl: .venv/installed ## Measure the crawler beside Scrapy (needs postgresql-doc-15, python3-doc; installs Scrapy)
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m bench.crawl

.PHONY: bench-peers
bench-peers: .venv/installed ## Measure search beside LlamaIndex, Haystack and LangChain (installs today's into .venv/peers; SITES="kicad i3" for other pages)
	$(BIN)/python -m bench.peers --install $(if $(SITES),--sites $(SITES)) $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench-commands
bench-commands: .venv/installed ## Measure the processor time of the commands (BEFORE=REVISION for another tree beside this one)
	$(BIN)/python -m bench.command_line $(if $(BEFORE),--before $(BEFORE))

.PHONY: bench-console
bench-console: .venv/installed ## Measure the processor time of each page of the console over a large record (TURNS=100000)
	$(BIN)/python -m bench.console_pages --turns $(or $(TURNS),100000)

.PHONY: bench-widget
bench-widget: .venv/installed ## Measure the widget beside public ones (needs Debian's chromium; downloads them from npm)
	$(BIN)/python -m bench.widget

.PHONY: bench-widget-tasks
bench-widget-tasks: .venv/installed ## Measure how long the widget keeps a page busy at a time (DIST="DIR ..." for other builds; needs Debian's chromium)
	$(BIN)/python -m bench.widget_tasks $(DIST)

##@ The widget

.PHONY: widget
widget: widget/node_modules/.package-lock.json ## Build the widget again after a change in widget/src (needs Node 20)
	npm --prefix widget run build

.PHONY: lint-widget
lint-widget: widget/node_modules/.package-lock.json ## Types, rules, tests and weight of the widget (needs Node 20)
	npm --prefix widget run typecheck
	npm --prefix widget run lint
	npm --prefix widget test
	npm --prefix widget run size
	npm --prefix widget run check-dist
	npm --prefix widget run packages

.PHONY: npm-packages
npm-packages: widget/node_modules/.package-lock.json ## Build the npm packages in widget/packages (needs Node 20)
	npm --prefix widget run packages

##@ Documentation, and what is made from the code

.PHONY: docs
docs: .venv/installed ## Build the documentation as a website in build/docs; every warning is an error (DOCENT=https://... AGENT=ID: with the widget and search of that agent)
	@$(BIN)/python -c 'import furo, myst_parser, sphinx' 2>/dev/null || $(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --conf-dir docs --doctree-dir build/doctrees $(if $(AGENT),--define docent_base=$(DOCENT) --define docent_agent=$(AGENT)) . build/docs
	@echo "Open build/docs/index.html"

.PHONY: docs-served
docs-served: .venv/installed ## Build the documentation, have Docent read it, and serve it with the widget and search, on loopback
	$(BIN)/python -m tests.docs.served_docs

.PHONY: reference
reference: .venv/installed ## Write what the documentation has from the code: docs/reference, pages as they are read
	$(BIN)/python -m tests.docs.reference_pages
	$(BIN)/python -m tests.docs.read_pages
	$(BIN)/python -m tests.docs.house_picture
	$(BIN)/python -m tests.docs.widget_looks

.PHONY: sample-report
sample-report: .venv/installed ## Write docs/site/site-report.html, a report over the demonstration site with faults
	$(BIN)/python -m tests.docs.sample_report

.PHONY: screenshots
screenshots: .venv/installed ## Take pictures of the widget's states and the console's pages (OUT=DIR; needs Debian's chromium)
	$(BIN)/python -m tests.e2e.screenshots $(or $(OUT),build/screenshots)
	$(BIN)/python -m tests.console.screenshots $(or $(OUT),build/screenshots)

.PHONY: docs-pictures
docs-pictures: .venv/installed ## Take the pictures of the documentation anew (needs Debian's chromium)
	$(BIN)/python -m tests.e2e.screenshots docs/images report widget-light widget-dark widget-launcher widget-welcome \
		widget-rich widget-rtl widget-no-answer widget-form widget-waiting widget-live-chat widget-error widget-search widget-page
	$(BIN)/python -m tests.console.screenshots docs/images console-gap-light console-overview-light console-report-light \
		console-new-agent console-sources console-settings console-conversation console-live-chat

.PHONY: migration
migration: .venv/installed ## Write the migration that brings databases to the tables as the code has them (NAME=saved_filters)
	$(BIN)/python -m tests.store.migration_writing $(NAME)
	$(BIN)/ruff check --quiet --fix --select I,F401 app/store/migrations/versions/*_$(NAME).py
	$(BIN)/ruff format --quiet app/store/migrations/versions/*_$(NAME).py

##@ Dependencies and releases

.PHONY: lock
lock: .venv/installed ## Lock what the image installs, by version and hash, after a change in pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[audit]'
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --extra scale --extra mcp --extra oidc --extra otel --build-deps-for wheel \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --output-file requirements.lock pyproject.toml
	$(BIN)/python -m tests.security.notices

.PHONY: audit
audit: .venv/installed ## Known vulnerabilities of what the image installs (ADVISORIES=all.zip of OSV: without a network)
	$(if $(ADVISORIES),,$(BIN)/python -m pip install --quiet --editable '.[audit]')
	$(if $(ADVISORIES),$(BIN)/python -m tests.security.advisories $(ADVISORIES),$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements.lock)

.PHONY: release
release: .venv/installed npm-packages ## Build what a release consists of into dist/: wheel, sdist, npm packages, SBOM, provenance, notes, checksums (IMAGE=1: the image for amd64 and arm64 as well; needs Docker's buildx)
	$(BIN)/python -m pip install --quiet 'hatchling>=1.27'
	rm -rf dist && mkdir dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/hatchling build --directory dist --target sdist --target wheel
	for name in client react vue; do (cd widget/packages/$$name && npm pack --silent --pack-destination "$(CURDIR)/dist") || exit 1; done
	$(if $(IMAGE),docker buildx build --platform linux/amd64$(,)linux/arm64 --provenance=mode=max --output type=oci$(,)dest=dist/docent-image.tar .)
	$(BIN)/python -m tests.packaging.release_files dist
	cd dist && sha256sum --check --quiet SHA256SUMS && ls -l
