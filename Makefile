# SPDX-License-Identifier: Apache-2.0
# A thin front door: Meson is the only build description.
PREFIX ?= /usr/local
BUILD := build

.PHONY: build run test test-long bench install clean dependencies

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

dependencies:
	@tools/dependencies.sh

$(BUILD)/build.ninja: | dependencies
	@meson setup $(BUILD) --prefix=$(PREFIX) >$(BUILD).log 2>&1 || (cat $(BUILD).log; rm -f $(BUILD).log; exit 1)
	@rm -f $(BUILD).log

run: build
	@$(BUILD)/ansatz --version

test: build
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite quick

test-long: build
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --timeout-multiplier 20

install: build
	@meson install -C $(BUILD) --no-rebuild --quiet

clean:
	@rm -rf $(BUILD)
