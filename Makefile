# SPDX-License-Identifier: Apache-2.0
# A thin front door: Meson is the only build description.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD := build
SANITIZED := build-sanitized
SHELL := /bin/bash -o pipefail
NINJA := ninja --quiet -C
TELL := | sed '/^ninja: \(no work to do\|Entering\)/d'
# Limits are for a quiet machine; on a busy one they mean nothing.
MESON_TEST := meson test --no-rebuild --print-errorlogs --timeout-multiplier 4

.PHONY: build build-tests run test test-long test-fresh bench report install uninstall dist clean dependencies format

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
	@[ -f $(SANITIZED)/build.ninja ] || meson setup $(SANITIZED) -Dtests=enabled -Dbuildtype=debugoptimized \
	  -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@$(NINJA) $(SANITIZED) $(TELL)
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tools/leaks.txt:print_suppressions=0 $(MESON_TEST) -C $(SANITIZED) --suite quick --timeout-multiplier 20

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
	@rm -rf $(BUILD) $(SANITIZED)
