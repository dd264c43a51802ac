# make demo: set up and carry out a goal. make test: set up and run the tests. Others below.

# The first interpreter that the wheels exist for; name another with make PYTHON=...
PYTHON ?= $(shell for p in python3.12 python3.11 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' \
	2>/dev/null && echo "$$p" && exit; done; echo python3)
DISTRO ?= jazzy
VENV ?= .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check
GOAL ?= put a clean mug on the desk
SUITE ?= quick
PYTEST_ARGS ?=

# What another environment, or a sourced ROS, has set is not for this one.
ifneq ($(_ROS_WHEELS_BOOTSTRAP_COMPLETE)$(AMENT_PREFIX_PATH),)
unexport LD_LIBRARY_PATH
endif
unexport AMENT_PREFIX_PATH PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE

ifndef SAGE_DATA
ifneq ($(wildcard ../shared/data/.),)
export SAGE_DATA := $(abspath ../shared/data)
endif
endif

# Everything that what is installed depends on. Python modules, launch and config stay live.
INSTALL_INPUTS := $(sort $(wildcard msg/*.msg srv/*.srv action/*.action cmake/*)) \
	tools/prerequisites.py tools/ros_wheels.py CMakeLists.txt package.xml pyproject.toml setup.py
INSTALL_KEY := $(shell { echo $(DISTRO) $(CURDIR) $(INSTALL_INPUTS); cat $(INSTALL_INPUTS); } \
	| sha256sum | cut -c 1-16)
STAMP := $(VENV)/.sage_ros-$(INSTALL_KEY)

.PHONY: install demo test lint acceptance clean

install: $(STAMP)

$(VENV)/bin/python:
	@$(PYTHON) tools/prerequisites.py
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(STAMP): $(VENV)/bin/python
	@$(VENV)/bin/python tools/prerequisites.py
	@rm -f $(VENV)/.sage_ros-*
	$(PIP) install --quiet --upgrade pip 'setuptools>=77' wheel \
		$$($(VENV)/bin/python tools/ros_wheels.py $(DISTRO))
	SAGE_ROS_DISTRO=$(DISTRO) $(PIP) install --quiet --no-build-isolation \
		--editable '.[alfworld,ollama,dev]'
	@touch $@

demo: install
	$(VENV)/bin/sage run "$(GOAL)"

test: install lint
	$(VENV)/bin/python -m pytest test $(PYTEST_ARGS)

lint: install
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

acceptance: install
	$(VENV)/bin/python -m sage_ros.bench.acceptance $(SUITE)

clean:
	rm -rf build install log dist .venv .venv-kilted *.egg-info
