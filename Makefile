.PHONY: demo test

# one conversation as three requests, answered by a server on this machine
demo:
	@bash .ci/run install
	.venv/bin/gen build
	.venv/bin/gen check
	@.venv/bin/python -m tests.live.demo

# everything that must hold
test:
	@bash .ci/run
