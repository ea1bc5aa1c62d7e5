# What there is to do with the suite. `make help` lists it.

PREFIX ?= /usr/local
DESTDIR ?=
TOOLS = apns-build apns-validate apns-push apns-feedback apns-decode apns-server
BIN = .build/release
SWIFT_BUILD = swift build --explicit-target-dependency-import-check error
RELEASE = $(SWIFT_BUILD) -c release --static-swift-stdlib

# Debian packages: to build, to run the demo, to check.
BUILD_NEEDS = libssl-dev libnghttp2-dev
DEMO_NEEDS = $(BUILD_NEEDS) jq
CHECK_NEEDS = $(DEMO_NEEDS) openssl curl mandoc shellcheck zsh fish nghttp2-client nghttp2-server python3 strace xxd binutils
BENCH_NEEDS = $(CHECK_NEEDS) g++ libsimdjson-dev linux-perf time

.PHONY: help build demo check lint test pages docs format record bench soak fuzz install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

build: ## release build of every tool, in .build/release
	@scripts/needs $(BUILD_NEEDS)
	$(RELEASE)

demo: ## build, validate, send to a local server, list the tokens to drop
	@scripts/needs $(DEMO_NEEDS)
	$(RELEASE)
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

check: ## everything that must hold before a commit
	@scripts/needs $(CHECK_NEEDS)
	$(MAKE) lint
	$(RELEASE)
	$(MAKE) pages
	$(MAKE) test

lint: ## formatting, shell files
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
	shellcheck $$(git ls-files scripts examples Benchmarks .ci completions | xargs grep -lE '^#!.*sh|^# bash completion' 2>/dev/null)

test: ## unit tests and cases, against the release build of the tools
	$(SWIFT_BUILD) --build-tests
	APNS_BIN="$(CURDIR)/$(BIN)" swift test --skip-build

pages: ## are the manuals and completions those of the built tools?
	@scripts/pages check $(BIN) $(TOOLS)
	mandoc -Tlint -W warning man/*.[17]

docs: ## write the manuals and completions anew
	$(RELEASE)
	@scripts/pages write $(BIN) $(TOOLS)

format: ## format the sources
	swift format format --in-place --recursive Package.swift Sources Tests Benchmarks

record: ## rewrite the expected files of the cases; review the difference
	$(RELEASE)
	$(SWIFT_BUILD) --build-tests
	RECORD=1 APNS_BIN="$(CURDIR)/$(BIN)" swift test --skip-build --filter CaseTests

bench: ## measure, in one interleaved run; see Benchmarks/README.md
	@scripts/needs $(BENCH_NEEDS)
	$(RELEASE)
	@Benchmarks/run $(BIN)

soak: ## a million notifications through faults of every kind, then a thousand kills
	$(RELEASE)
	@Benchmarks/soak $(BIN)
	@Benchmarks/kills $(BIN) --kills 1000

fuzz: ## ten minutes for each decoder and the validator; SECONDS_EACH=N changes that
	Fuzz/run $${SECONDS_EACH:-600}

install: ## install under PREFIX (/usr/local), below DESTDIR
	@test -x $(BIN)/apns-push || { echo "run 'make build' first" >&2; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man7" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	for tool in $(TOOLS); do \
	  install -m 755 -s "$(BIN)/$$tool" "$(DESTDIR)$(PREFIX)/bin/$$tool" && \
	  install -m 644 "man/$$tool.1" "$(DESTDIR)$(PREFIX)/share/man/man1/$$tool.1" && \
	  install -m 644 "completions/$$tool.bash" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$tool" && \
	  install -m 644 "completions/_$$tool" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$tool" && \
	  install -m 644 "completions/$$tool.fish" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$tool.fish" || exit 1; \
	done
	install -m 644 man/apns-rules.7 "$(DESTDIR)$(PREFIX)/share/man/man7/apns-rules.7"

uninstall: ## take away what install put there
	for tool in $(TOOLS); do \
	  rm -f "$(DESTDIR)$(PREFIX)/bin/$$tool" "$(DESTDIR)$(PREFIX)/share/man/man1/$$tool.1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$tool" \
	    "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$tool" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$tool.fish"; \
	done
	rm -f "$(DESTDIR)$(PREFIX)/share/man/man7/apns-rules.7"

clean: ## remove what was built
	rm -rf .build
