# Each target sets up what it needs in .venv; a fresh machine needs Python 3.11+, git and make.
# Another Python: rm -rf .venv, then make test PYTHON=/path/to/python3

# The tests start our program thousands of times: all is compiled once, on every core, whatever the
# caller's environment says.
unexport PYTHONDONTWRITEBYTECODE

READY := .venv/.ready
FRAMEWORKS := .cache/frameworks

.PHONY: demo test lint bench soak man newer-git frameworks

demo: $(READY)
	@PATH="$$PWD/.venv/bin:$$PATH" sh tools/demo.sh

test: $(READY)
	.venv/bin/python -m pytest -n logical --dist loadgroup

# For the tests of reftable, where this machine's git has none; they are skipped without.
newer-git:
	@sh tools/newer-git.sh .cache/newer-git

# The runners of frameworks that are too heavy for .venv (1 GB), in an environment of their own.
frameworks: $(FRAMEWORKS)/.ready
	$(FRAMEWORKS)/bin/python -m pytest tests/frameworks

soak: $(READY)
	GIT_RELAY_SOAK=1 .venv/bin/python -m pytest -n logical --dist loadgroup

lint: $(READY)
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy

# With what they compare to, which pip before 25.1 cannot read from [dependency-groups] itself.
bench: $(READY)
	@.venv/bin/python -c "import tomllib; \
	print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['bench'], sep='\n')" | \
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement /dev/stdin
	.venv/bin/python benchmarks/run.py

man: $(READY)
	.venv/bin/python tools/manpage.py

$(READY): pyproject.toml
	@.venv/bin/python -m pip --version >/dev/null 2>&1 || { \
	python=$$(sh tools/find-python.sh $(PYTHON)) && \
	echo "making .venv with $$python" && "$$python" -m venv --clear .venv; }
	@echo "installing into .venv what pyproject.toml names; the first time takes a minute"
	@.venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check \
	    --editable '.[dev]'
	@.venv/bin/python -m compileall -q -j 0 .venv/lib || :
	@touch $@

$(FRAMEWORKS)/.ready: pyproject.toml
	@$(FRAMEWORKS)/bin/python -m pip --version >/dev/null 2>&1 || { \
	python=$$(sh tools/find-python.sh $(PYTHON)) && "$$python" -m venv --clear $(FRAMEWORKS); }
	@echo "installing CrewAI and AutoGen into $(FRAMEWORKS); the first time takes some minutes"
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check \
	    --editable '.[crewai,autogen]' 'autogen-ext>=0.7' 'pytest>=8.2' 'pytest-timeout>=2.3'
	@touch $@
