# Errand. `make help` lists what there is.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Tools are built once per machine, at these versions, into a cache that all
# clones share.
TOOLS        := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/errand/bin
GOLANGCI     := v2.15.0
WORKFLOWCHECK := v0.6.0
LINT         := $(TOOLS)/golangci-lint-$(GOLANGCI)
CHECK        := $(TOOLS)/workflowcheck-$(WORKFLOWCHECK)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Run the main job offline: Temporal, worker and a scripted model, no key
	@go run ./test/demo

.PHONY: build
build: ## Build the errand command into bin/
	go build -o bin/errand ./cmd/errand

.PHONY: install
install: ## Install the errand command, also as an extension of the temporal CLI
	go install ./cmd/errand
	ln -sf errand "$${GOBIN:-$$(go env GOPATH)/bin}/temporal-errand"
	@command -v errand >/dev/null || echo "errand is in $${GOBIN:-$$(go env GOPATH)/bin}: put that on your PATH"

.PHONY: prepare
prepare: ## Install what tests and `errand dev` need (Temporal CLI; once, about 4 minutes)
	@go run ./cmd/errand dev --prepare

.PHONY: test
test: prepare chromium ## Run every test
	go test -race -shuffle=on -timeout 20m ./...

.PHONY: unit
unit: ## Run the tests beside the code only
	go test -race -shuffle=on $$(go list ./... | grep -v '^errand/test')

.PHONY: long
long: prepare ## Play runs of 1,000 rounds and of 56 MB, and print how their history grows
	ERRAND_LONG=1 go test -count=1 -timeout 40m -v -run 'TestHistoryGrowsWithTheWork|TestAConversationOfTwoMegabytesFinishes|TestNoSizeWedgesARun' ./test/ | grep -E '^ +long_test|^(---|ok|FAIL)'

.PHONY: replay
replay: ## Replay the recorded histories against this build
	go test -count=1 -run 'Replay' ./test/

.PHONY: record
record: prepare ## Record new histories for replay into test/testdata/history
	ERRAND_RECORD=$(or $(RELEASE),v0.1.0) go test -count=1 -run 'TestRecordedShapes|TestARunThatContinuesIsOneRunToItsClients|TestServeAllAnswersTheCallOfADelegatedRunOnce|TestARunCancelledBeforeItsFirstStepAsksForNothing' ./test/

.PHONY: bench
bench: prepare ## Compare with a hand-written workflow and print the figures
	go test -run '^$$' -bench . -benchtime 1x -timeout 30m ./test/bench/

.PHONY: soak
soak: prepare ## 10,000 runs on one worker, 20 minutes at least: its memory stays flat
	cd test/soak && go test -count=1 -timeout 2h -runs 10000 -for 20m # without a path go test shows what it prints

.PHONY: crash
crash: prepare ## Kill worker and server at every moment of a run, and check what it did
	cd test/crash && go test -count=1 -timeout 2h -full # without a path go test shows what it prints

.PHONY: starters
starters: prepare ## 1,000 runs served by four processes, two of them killed (RUNS=)
	ERRAND_STARTER_RUNS=$(or $(RUNS),1000) go test -count=1 -v -timeout 20m -run 'TestStartersShareManyRuns' ./test/

.PHONY: conformance
conformance: ## Play the MCP suite's client scenarios that need no OAuth (npm)
	go run ./test/conformance

.PHONY: fuzz
fuzz: ## Fuzz the decoders, 60 s each
	@for target in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z]+' $$target/*_test.go | sed 's/func //'); do \
	    echo "$$target $$name"; go test -run '^$$' -fuzz "^$$name$$" -fuzztime 60s $$target; \
	  done; done

.PHONY: screenshot
screenshot: prepare chromium ## Take the picture of the Web UI in docs/images
	go run ./test/screenshot -out docs/images

.PHONY: chromium
chromium: # The Web UI tests need a browser; root on Debian gets it installed.
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  echo "installing chromium (Debian package) for the Web UI tests"; \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	  else echo "install chromium or google-chrome, then run this again" >&2; exit 1; fi; }

.PHONY: fmt
fmt: $(LINT) ## Format the code
	$(LINT) fmt

.PHONY: lint
lint: $(LINT) ## Lint, the import rules included
	$(LINT) run ./...

.PHONY: workflowcheck
workflowcheck: $(CHECK) ## Check that workflow code is deterministic
	$(CHECK) -config workflowcheck.config.yaml ./workflows/...

.PHONY: tidy
tidy: ## Fail if go.mod is not tidy
	go mod tidy -diff

.PHONY: compose
compose: ## Check docker-compose.yml where docker is there
	@if docker compose version >/dev/null 2>&1; then POSTGRES_PASSWORD=unused docker compose config --quiet && echo "docker-compose.yml: ok"; \
	else echo "docker compose is not installed: docker-compose.yml was not checked"; fi

.PHONY: up
up: ## Start Temporal on PostgreSQL, its Web UI and one worker in Docker
	@test -e .env || (umask 077; echo "POSTGRES_PASSWORD=$$(openssl rand -hex 24)" > .env)
	docker compose up --build --detach

.PHONY: down
down: ## Stop what `make up` started; the data stays
	docker compose down

.PHONY: ci
ci: tidy lint workflowcheck compose test ## Everything that must hold before a merge

$(LINT):
	@echo "building golangci-lint $(GOLANGCI) (once, some minutes)"
	@mkdir -p $(TOOLS) && dir=$$(mktemp -d $(TOOLS)/build.XXXX) && \
	GOBIN=$$dir go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) && mv $$dir/golangci-lint $@ && rmdir $$dir

$(CHECK):
	@echo "building workflowcheck $(WORKFLOWCHECK)"
	@mkdir -p $(TOOLS) && dir=$$(mktemp -d $(TOOLS)/build.XXXX) && \
	GOBIN=$$dir go install go.temporal.io/sdk/contrib/tools/workflowcheck@$(WORKFLOWCHECK) && mv $$dir/workflowcheck $@ && rmdir $$dir
