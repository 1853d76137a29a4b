# iterion: `make` alone lists what there is.

GO      ?= go
BIN     ?= bin/iterion
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X iterion/cmd/iterion/internal/cli.version=$(VERSION)

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The race detector needs the C compiler that go would call; without it the tests
# run bare.
RACE    ?= $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
PKG     ?= ./...
FUZZTIME ?= 10s
BENCHTIME ?= 1x

.DEFAULT_GOAL := help
.PHONY: help build demo test race lint golden shots fuzz bench check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/iterion
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/iterion

demo: build ## watch three example cards being worked, in a throw-away workspace
	@sh testdata/demo.sh $(BIN)

test: ## run all tests, with the race detector where there is a C compiler
	$(GO) test $(RACE) -timeout 25m $(PKG)

race: ## run all tests with the race detector
	CGO_ENABLED=1 $(GO) test -race -timeout 25m $(PKG)

lint: ## gofmt, vet (Linux and macOS), staticcheck
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

golden: ## write the golden screens anew; look at the diff before you commit it
	@for p in $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n1 dirname | sort -u); do \
		$(GO) test -count=1 $$p -update || exit 1; done

shots: ## take the README's pictures of the screen anew (needs tmux)
	$(GO) test -count=1 ./cmd/iterion -run TestShots -shots "$(CURDIR)/testdata/shots"

fuzz: ## run every fuzz target for FUZZTIME (10s)
	@grep -roEH --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort -u | \
	while IFS=: read -r file name; do \
		name=$${name#func }; echo "$$(dirname $$file) $$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$(dirname $$file) </dev/null || exit 1; \
	done

bench: ## run the benchmarks, each BENCHTIME (once)
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) $(PKG)

check: lint test ## what CI runs
