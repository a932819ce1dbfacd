# Each target sets up what it needs in .venv; a fresh machine needs Python 3.11+, git and make.
# Another Python: rm -rf .venv, then make test PYTHON=/path/to/python3

READY := .venv/.ready

.PHONY: demo test lint bench soak man newer-git

demo: $(READY)
	@PATH="$$PWD/.venv/bin:$$PATH" sh tools/demo.sh

test: $(READY)
	.venv/bin/python -m pytest -n auto --dist loadgroup

# For the tests of reftable, where this machine's git has none; they are skipped without.
newer-git:
	@sh tools/newer-git.sh .cache/newer-git

soak: $(READY)
	GIT_RELAY_SOAK=1 .venv/bin/python -m pytest -n auto --dist loadgroup

lint: $(READY)
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy

bench: $(READY)
	.venv/bin/python benchmarks/run.py

man: $(READY)
	.venv/bin/python tools/manpage.py

$(READY): pyproject.toml
	@.venv/bin/python -m pip --version >/dev/null 2>&1 || { \
	python=$$(sh tools/find-python.sh $(PYTHON)) && \
	echo "making .venv with $$python" && "$$python" -m venv --clear .venv; }
	@echo "installing into .venv what pyproject.toml names; the first time takes a minute"
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
