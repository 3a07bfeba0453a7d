# SPDX-License-Identifier: Apache-2.0
# A thin front door: Meson is the only build description.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD := build
SANITIZED := build-sanitized
THREADED := build-threads
WITH_MPI := build-mpi
COVERED := build-coverage
SHELL := /bin/bash -o pipefail
NINJA := ninja --quiet -C
TELL := | sed '/^ninja: \(no work to do\|Entering\)/d'
# Limits are for a quiet machine; on a busy one they mean nothing.
MESON_TEST := meson test --no-rebuild --print-errorlogs --timeout-multiplier 4

.PHONY: build build-tests run test test-long test-fresh test-mpi test-threads analyse mutants coverage bench report install uninstall dist clean dependencies format

# The program and the libraries. What meson misses, it says in its warnings, and with which package to get it.
build: $(BUILD)/build.ninja
	@$(NINJA) $(BUILD) product $(TELL)

dependencies:
	@tools/dependencies.sh program

$(BUILD)/build.ninja: | dependencies
	@meson setup $(BUILD) --prefix=$(PREFIX) -Dprogram=enabled -Dtests=disabled >$(BUILD).log 2>&1 || \
	  (cat $(BUILD).log; rm -f $(BUILD).log; exit 1)
	@sed -n 's/^[^ ]* *WARNING: //p' $(BUILD).log >&2
	@rm -f $(BUILD).log

# The tests are a part of the same build directory, from the first `make test` on.
build-tests: $(BUILD)/build.ninja
	@tools/dependencies.sh $(or $(PARTS),tests)
	@grep -q '^tests = enabled' $(BUILD)/meson-private/cmd_line.txt || meson setup --reconfigure $(BUILD) -Dtests=enabled >/dev/null
	@$(NINJA) $(BUILD) $(TELL)

run: build
	@tools/run.sh $(BUILD)/ansatz

test: build-tests
	@$(MESON_TEST) -C $(BUILD) --suite quick

# Everything, then the quick tests once more with every memory access and every conversion checked.
test-long: PARTS = long
test-long: build-tests
	@$(NINJA) $(BUILD) fuzzers $(TELL)
	@$(MESON_TEST) -C $(BUILD) --timeout-multiplier 20
	@[ -f $(SANITIZED)/build.ninja ] || meson setup $(SANITIZED) -Dtests=enabled -Dbuildtype=debugoptimized -Dwerror=true \
	  -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@$(NINJA) $(SANITIZED) $(TELL)
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tools/leaks.txt:print_suppressions=0 $(MESON_TEST) -C $(SANITIZED) --suite quick --timeout-multiplier 20
	@$(MAKE) --no-print-directory test-mpi test-threads analyse mutants

# The program with MPI, where there is one (Debian: libopenmpi-dev), and with MPICH (libmpich-dev) where it stands beside another.
test-mpi:
	@if command -v mpicc >/dev/null; then \
	  [ -f $(WITH_MPI)/build.ninja ] || meson setup $(WITH_MPI) -Dmpi=enabled -Dtests=enabled >/dev/null; \
	  $(NINJA) $(WITH_MPI) ansatz $(TELL) && $(MESON_TEST) -C $(WITH_MPI) cli_mpi; \
	else echo "no mpicc: the tests with MPI are left out"; fi
	@if command -v mpirun.mpich >/dev/null && pkg-config --exists mpich; then \
	  [ -f $(WITH_MPI)ch/build.ninja ] || meson setup $(WITH_MPI)ch -Dmpi=enabled -Dmpi_module=mpich -Dtests=enabled >/dev/null; \
	  $(NINJA) $(WITH_MPI)ch ansatz $(TELL) && $(MESON_TEST) -C $(WITH_MPI)ch cli_mpi; fi

# What runs on several threads, under ThreadSanitizer. (The fuzz harnesses have sanitizers of their own and are not built.)
THREAD_PROGRAMS := tests/base/team_test tests/api/api_test tests/residual/residual_test64 \
  tests/residual/gradient_test tests/residual/jacobian_test64 tests/training/training_training_test tests/training/training_solver_test
test-threads:
	@[ -f $(THREADED)/build.ninja ] || meson setup $(THREADED) -Dtests=enabled -Dbuildtype=debugoptimized -Db_sanitize=thread \
	  -Db_lundef=false -Dblas=none >/dev/null
	@$(NINJA) $(THREADED) $(THREAD_PROGRAMS) $(TELL)
	@for program in $(THREAD_PROGRAMS); do echo "$$program under ThreadSanitizer"; \
	  TSAN_OPTIONS=halt_on_error=1:exitcode=66 $(THREADED)/$$program >$(THREADED)/log.txt 2>&1 || { tail -40 $(THREADED)/log.txt; exit 1; }; done

# clang's static analyser; a finding that is wrong is answered by an assert.
analyse: $(BUILD)/build.ninja
	@tools/analyse.py $(BUILD)

# Does a test fail when the source is wrong? A sample of small changes, and those of tools/mutants.list.
MUTANTS := 45
mutants:
	@tools/mutants.py --hand --sample $(MUTANTS) --seed 1 --jobs 2 --budget 60 --floor 80

# Lines and branches that the quick tests reach; build-coverage/missed.txt has the lines that they do not. Counters are
# atomic, since threads share them; what the counting itself complains of (a process that a test killed left half a file) goes to a file of its own.
coverage:
	@[ -f $(COVERED)/build.ninja ] || meson setup $(COVERED) -Dtests=enabled -Dbuildtype=debugoptimized -Db_coverage=true \
	  -Dc_args=-fprofile-update=atomic >/dev/null
	@$(NINJA) $(COVERED) $(TELL)
	@GCOV_ERROR_FILE=$(CURDIR)/$(COVERED)/gcov-errors.txt $(MESON_TEST) -C $(COVERED) --suite quick --timeout-multiplier 10 || true
	@tools/coverage.py $(COVERED) --missed $(COVERED)/missed.txt

# Both commands of the README on bare systems; needs root, debootstrap and half an hour.
test-fresh:
	@tools/fresh.sh bookworm
	@tools/fresh.sh trixie

bench: build
	@$(BUILD)/ansatz bench

report: build
	@tools/report.sh $(BUILD)/ansatz

install: build
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@$(NINJA) $(BUILD) product $(TELL)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet
	@grep -v '^#' $(BUILD)/meson-logs/install-log.txt >>$(BUILD)/installed.txt
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

# Removes what `make install` of this build directory put in place.
uninstall:
	@tools/uninstall.sh $(BUILD)/installed.txt

dist: build
	@tools/dist.sh $(BUILD)

# Lays out the C files; `make test` checks that they are.
format:
	@python3 tests/tree/format.py . --write

clean:
	@rm -rf $(BUILD) $(SANITIZED) $(THREADED) $(WITH_MPI) $(COVERED) build-mutants
