.PHONY: bench check demo docs fuzz mutants release search serve test types
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
SEARCH := $(or $(SEARCH),10)

# one conversation as three requests, answered by a server on this machine
demo:
	@bash .ci/run install
	.venv/bin/gen build
	.venv/bin/gen check
	@.venv/bin/python -m tests.live.demo

# keep a local model server, and a gateway before it, up for one's own tries
serve:
	@bash .ci/run install
	@.venv/bin/python -m tests.live.demo serve

# the site in build/site: pages, one for each API, and a page to try in the browser
docs:
	@CI=1 bash .ci/run site
	@echo "open build/site/index.html through a server: .venv/bin/python -m http.server --directory build/site"

# time of builds, reads, imports, the compiler and the gateway, next to plain code; needs a quiet machine.
# PROMPTWIRE_BENCH=FOLDER compares with the builders of a benchmark of its own as well, and
# PROMPTWIRE_LINGUA=FOLDER/node_modules with the converter @braintrust/lingua; PROMPTWIRE_LITELLM=PROGRAM measures the
# proxy of an installation of litellm[proxy] beside the gateway
bench:
	@bash .ci/run install
	.venv/bin/pytest tests/benchmarks -s
	.venv/bin/python -m tests.live.parallel_streams $(if $(PROMPTWIRE_LITELLM),--litellm $(PROMPTWIRE_LITELLM))

# the property tests with more random examples, and six specs with each line removed; takes 20 minutes;
# TESTED=FILES: only these, such as TESTED=tests/laws/test_nothing_silent.py SEARCH=60 for 100,000 requests
search:
	@bash .ci/run install
	@echo "the same again: make search SEED=$(SEED) SEARCH=$(SEARCH)$(if $(TESTED), TESTED=\"$(TESTED)\")"
	@SEARCH=$(SEARCH) .venv/bin/pytest $(or $(TESTED),tests) -n 2 -m "hypothesis or search" --hypothesis-seed=$(SEED)

# fuzzing with malformed inputs, for some time; TARGETS="bodies specs" tries only these, CORPUS=FILE.jsonl damages
# recorded bodies too, AGAIN=TARGET:SEED:INDEX tries one input again
fuzz: SECONDS := $(or $(SECONDS),60)
fuzz:
	@bash .ci/run install
	@.venv/bin/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) --targets "$(TARGETS)" \
		$(if $(CORPUS),--corpus "$(CORPUS)") $(if $(AGAIN),--again $(AGAIN))

# change the code in one place at a time, and check that a test fails;
# MUTATED=FILES, TESTED=FILES, EVERY=10: each tenth
mutants:
	@bash .ci/run install
	@.venv/bin/python -m tests.mutants $(MUTATED) --every $(or $(EVERY),1) $(if $(TESTED),--tests $(TESTED)) $(if $(LIMIT),--seconds $(LIMIT))

# the wheels of both distributions in build/dist, and the site in build/site, after all checks; nothing is uploaded
release: check
	@rm -rf build/dist && mkdir -p build/dist
	@for project in . generator; do .venv/bin/python -m build --wheel --no-isolation --outdir build/dist $$project || exit 1; done
	@ls -l build/dist

# run the quick checks: about three minutes on two cores
test:
	@bash .ci/run

# run all checks, as CI does: types, slow tests, the site, every Python, clean environments
check:
	@CI=1 bash .ci/run

# check types with mypy and pyright
types:
	@bash .ci/run mypy pyright
