# make demo: train, export, rate and show a bot.   make test: everything that must hold, in about 25 minutes.
# Both set up .venv first; make it from another Python with `make PYTHON=python3.12 ...`.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
DEMO := runs/demo
GAME := ese_toro_enamorado
# For pytest: "-k toro" for a part, or "-n 4 --dist loadfile" where there are more cores (a file is mostly of one game).
SLICE ?=
SOME := not thorough
WALKS := walks
# Four parts of the compiled mode, so that two cores have work to the end: the table and the commands, of which many wait
# for a browser or a process, rooms by themselves, what holds in every game and takes long, and all others.
GAMES := $(filter-out core,$(notdir $(patsubst %/__init__.py,%,$(wildcard envs/*/__init__.py))))
tests := $(sort $(shell find tests -name 'test_*.py'))
rooms := $(filter $(GAMES:%=tests/envs/%/test_%),$(tests))
every := $(foreach name,aec aec_saving aec_views codes contract gym properties secrets vector,tests/envs/core/test_$(name).py)
table := $(filter tests/sobremesa/%,$(tests))
others := $(filter-out $(rooms) $(every) $(table),$(tests))
# The files that hold tests with one of some markers, "walks" or "kernels or walks": to collect all takes 16 s of a core.
SPACE := $() $()
marked = $(shell grep -lE 'mark\.($(subst $(SPACE)or$(SPACE),|,$(1)))\b' $(tests))

# An editable install is asked last: a folder called sobremesa beside a script, such as a clone, would be imported in its
# place, as an empty namespace. So it is asked first here; an ordinary install needs no such thing.
FIRST := import sys; sys.meta_path.sort(key=lambda one: 'editable___sobremesa' not in str(getattr(one, '__module__', '')))

.PHONY: help setup demo test test-all lint types test-compiled test-table test-others test-rooms test-every test-plain test-checked coverage mutants clients newcomer gpu fresh docs data dist release-check submissions clean

help:
	@sed -n '1,2p' Makefile; echo "also: setup test-all lint types test-compiled test-plain test-checked coverage mutants clients newcomer gpu fresh docs data dist release-check submissions clean"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt setuptools wheel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	echo "$(FIRST)" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/sobremesa.pth"
	touch $(READY)

demo: $(READY)
	rm -rf $(DEMO)
	$(BIN)/sobremesa train $(GAME) --config $(GAME)_advised --out $(DEMO)
	$(BIN)/sobremesa export $(DEMO) -o $(DEMO)/bot
	$(BIN)/sobremesa report $(DEMO) $(DEMO)/bot

# On two cores: what is tried once, compiled, beside the same kernels as plain Python and with every index checked.
test: $(READY)
	$(MAKE) -j2 SOME='$(SOME)' WALKS='$(WALKS)' lint test-table test-others test-plain test-rooms test-every test-checked types

test-all: SOME := thorough or not thorough
test-all: WALKS := kernels or walks
test-all: export PYTEST_TIMEOUT := 3600
test-all: test

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Type checkers do not follow the editable install: show them the packages as a folder of links.
types: $(READY)
	mkdir -p .types/sobremesa
	for room in envs agents training configs; do ln -sfn ../../$$room .types/sobremesa/$$room; done
	for file in sobremesa/*; do ln -sfn ../../$$file .types/sobremesa/; done
	MYPYPATH=.types $(BIN)/mypy --namespace-packages --explicit-package-bases -p sobremesa

test-table test-others test-rooms test-every test-plain test-checked: export OMP_NUM_THREADS := 1

test-compiled: test-table test-others test-rooms test-every

test-table test-others test-rooms test-every: $(READY)
	$(BIN)/python -m pytest -q -m "$(SOME)" $(SLICE) $($(subst test-,,$@))

# What runs kernels once more as plain Python, where integer overflow is an error and coverage can be measured (which
# takes twice as long: make coverage) ...
test-plain: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -m "kernels and ($(SOME))" $(SLICE) $(MEASURED) $(call marked,kernels)

coverage: MEASURED := --cov=envs --cov=agents --cov-report=term
coverage: test-plain

# ... and what walks through many deals compiled with every index checked, with a kernel cache of its own: plain Python
# finds what lies beyond an array on its few deals, this finds it on many.
test-checked: $(READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -m "($(WALKS)) and ($(SOME))" $(SLICE) $(call marked,$(WALKS))

# Change one thing at a time in the kernels, and see whether a test fails: MUTANTS="--games estafado" for one room.
mutants: $(READY)
	nice $(BIN)/python tests/tools/kill_mutants.py $(MUTANTS)

# Try the games with the libraries of others, each in an environment of its own: CLIENTS="supersuit torchrl" for some.
clients: $(READY)
	$(BIN)/python tests/clients/run.py $(CLIENTS)

# Compare the games on an NVIDIA GPU with the processor, measure their speed, and train from nothing, in about fifteen
# minutes; no part of `make test`. GPU="--seconds 60" trains longer, GPU=--quick takes a few minutes and makes a report to
# send: your card becomes a row of docs/results/gpu.json. `python -m tests.gpu.page build/gpu.json` keeps the
# measurements.
gpu: $(READY)
	$(BIN)/python -m tests.gpu.check $(GPU)

# Follow the README as a user without rights on a slow machine: a tenth of a core, 2 GB, a slow disk; as root, for hours.
# NEWCOMER="--quota 100" is faster.
newcomer: $(READY)
	$(BIN)/python tests/tools/follow_readme.py $(NEWCOMER)

# Rewrite what is generated: tables in documents and the boards of the games.
fresh: $(READY)
	$(BIN)/python tests/tools/fresh.py

# The site in build/site, without a network; a warning, such as a link that leads nowhere, is an error.
docs: $(READY)
	rm -rf build/site
	$(BIN)/python -m sphinx -q -W --keep-going -E -d build/doctrees -c docs . build/site

# Play the published data into build/data: 10,000 episodes a game at three levels, as replays and, with the extra minari,
# as Minari datasets; docs/results/data.md has sizes and times. DATA="--episodes 200 --only replays" makes less.
data: $(READY)
	$(BIN)/python tests/tools/published_data.py $(DATA)

# The wheel, the wheel of the bots, and the sdist. Each build of a commit gives the same bytes: times are those of the
# commit, and GNU tar packs the sdist once more, since setuptools stores the times and users of files as they are.
dist: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python tests/tools/split_wheel.py dist/*.whl
	cd dist && tar -xzf *.tar.gz && rm *.tar.gz
	cd dist && tar -c --sort=name --mtime=@$$SOURCE_DATE_EPOCH --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX */ \
		| gzip -n9 > "$$(basename */).tar.gz" && rm -r */

# Install the wheel in empty environments, with each Python that is found and the newest and lowest dependencies, and try it.
# RELEASE="--python python3.12 --versions lowest --extras bots,render" selects some. Without UV_TORCH_BACKEND=cpu PyTorch
# comes with CUDA.
release-check: dist
	$(BIN)/python tests/tools/check_release.py dist/sobremesa-*.whl $(RELEASE)

# Verify the submissions that differ from the commit BASE, by rows that their authors cannot foresee. Names of files are
# separated by NUL, since anyone chooses them.
submissions: BASE := HEAD^1
submissions: $(READY)
	git rev-parse --quiet --verify '$(BASE)^{commit}'
	git diff -z --name-only $(BASE) -- submissions | cut -z -d/ -f1,2 | sort -zu | xargs -0 -r $(BIN)/sobremesa verify --seed $$(date +%s)

clean:
	rm -rf .venv .types .clients build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
