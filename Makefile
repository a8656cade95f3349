SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

# Sample logs from outside the repository; a target that needs them fails without them.
SAMPLES ?= ../shared/samples
FUZZTIME ?= 30s
# Where the pinned client programs are kept; empty means the user's cache folder.
CLIENTS ?=
# sessc, and what it starts to ask Gemini.
PROGRAMS := . ./model/gemini/sessc-gemini
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# All advisories up to its date, as a module: needs the module proxy, and not the database's own site.
VULNDB := golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018

# Lines "package-folder word" for each Go test file that has a line of that pattern.
tests_with = grep -rHoE --include='*_test.go' $(1) . | sed -E 's|/[^/]*:| |' | sort -u

.PHONY: build
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/ $(PROGRAMS)

# The main job on a copy of a shipped log.
.PHONY: demo
demo:
	@scripts/demo.sh

# All tests but one that "make batch" runs. They wait for the disk as long as they work, and garbage is collected rarely.
.PHONY: test
test:
	GOGC=400 go test -parallel 4 -timeout 60m -skip '^TestKilledBatches$$' ./...
	go test -tags purego ./session/jsonwalk

# 300 sessions, killed at 20 random moments, with an agent that writes to one of them; prints what it saw.
.PHONY: batch
batch:
	go test -count=1 -v -timeout 30m -run '^TestKilledBatches$$' .

# The tests that this machine cannot run, each with its reason: leases, attributes, mounts and flags of files, which
# not every kernel, user and file system has. Looks at every package that can skip one.
.PHONY: skips
skips:
	@go test -v -timeout 30m $$(grep -rl --include='*_test.go' 't\.Skip' . | xargs -n1 dirname | sort -u) | awk '/_test\.go:[0-9]+: / {why = $$0} /^ *--- SKIP/ {n++; print; print why} /^ *--- FAIL|^FAIL/ {bad = 1; print} END {print n + 0, "tests skipped"; exit bad}'

# The property tests do what the others do, many times over: they run without the race detector, but for those in
# which a model writes many masks at a time.
# Under it a sync.Pool drops what it holds at random, so that the memory of the index is not measured; and the
# killed batches are hundreds of sessions in processes that find no races that the other batches do not.
.PHONY: race
race:
	go test -race -skip '^(TestIndexMemory|TestKilledBatches)$$' $$(go list ./... | grep -v -e /properties -e /restore -e /scripts/)
	go test -race -run '^TestModel(KeepsFacts|Order)$$' ./properties

# The properties on many damaged logs. SEED moves on to others.
MUTATIONS ?= 5000
SEED ?= 1
.PHONY: mutations
mutations:
	SESSC_MUTATIONS=$(MUTATIONS) SESSC_SEED=$(SEED) GOGC=400 go test -parallel 4 -count=1 -timeout 30m -run TestMutated ./properties

.PHONY: lint
lint:
	@files=$$(gofmt -l .); [[ -z $$files ]] || { echo "not formatted by gofmt:"; echo "$$files"; exit 1; }
	go vet ./...
	go vet -tags samples ./...

# Windows, of which there is no machine at hand: the programs and their tests have to compile for it.
.PHONY: windows
windows:
	GOOS=windows go vet ./...
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	GOOS=windows go test -c -o "$$dir/" ./... >/dev/null; \
	echo "$$(ls "$$dir" | wc -l) test programs built for windows"

.PHONY: staticcheck
staticcheck:
	go run $(STATICCHECK) ./...

# Known weaknesses of the modules in the two programs; those of the Go release that builds it are printed and
# do not fail, since a release is built with the newest one.
.PHONY: vulncheck
vulncheck:
	@db=$$(cd / && go mod download -json $(VULNDB) | jq -r .Dir); \
	found=$$(go run $(GOVULNCHECK) -db "file://$$db/data/osv" -format json $(PROGRAMS) | \
		jq -r 'select(.finding) | .finding | [.osv, .trace[0].module, .trace[0].version, "fixed in " + (.fixed_version // "none")] | join(" ")' | sort -u); \
	echo "$$found"; \
	if grep -v ' stdlib ' <<< "$$found" | grep -q .; then echo "modules with known weaknesses, see above"; exit 1; fi; \
	echo "no module with a known weakness"

.PHONY: samples
samples:
	@[[ -d "$(SAMPLES)" ]] || { echo "no samples in $(SAMPLES): name their folder with SAMPLES=DIR"; exit 1; }
	SESSC_SAMPLES="$(abspath $(SAMPLES))" SESSC_GENERATED=200 GOGC=400 go test -parallel 4 -timeout 30m -tags samples ./...

# Small wrong changes to sessc, one for each promise and more: a named test has to notice each.
.PHONY: mutants
mutants:
	go run ./scripts/mutants

# Each fuzz target for FUZZTIME, one after the other, as go test wants it; all of them, even when one fails.
.PHONY: fuzz
fuzz:
	@$(call tests_with,'^func Fuzz[A-Za-z0-9_]+') | { \
		failed=; \
		while read -r dir _ name; do \
			echo "$$dir $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x "$$dir" || failed="$$failed $$name"; \
		done; \
		[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }; \
	}

# make bench BENCH=-write CROWD=-write measures logs of 100 MB and 1 GB, and a nightly run over 10,000 sessions, and
# writes the tables of docs/results.md
BENCH ?= -size 20 -big 0 -rounds 3
CROWD ?= -sessions 200
.PHONY: bench
bench:
	go test -run '^$$' -bench . -benchmem ./...
	go run ./scripts/bench $(BENCH)
	go run ./scripts/crowd $(CROWD)

# The real agent programs on originals and compressed copies: scripts/clients/README.md.
.PHONY: clients
clients: build
	SESSC_CLIENTS="$(CLIENTS)" node scripts/clients/run.mjs --sessc bin/sessc --samples "$(SAMPLES)"
	for layers in turns results all; do \
		SESSC_CLIENTS="$(CLIENTS)" node scripts/clients/run.mjs --client openclaw --sessc bin/sessc --samples "$(SAMPLES)" \
			"--flags=--min-saving 0 --keep-last 4 --keep-turns 1 --layers $$layers" || exit 1; \
		SESSC_CLIENTS="$(CLIENTS)" node scripts/clients/run.mjs --client claudecode --sessc bin/sessc --samples "$(SAMPLES)" \
			"--flags=--min-saving 0 --keep-last 4 --keep-turns 1 --layers $$layers" || exit 1; \
	done

.PHONY: clients-selftest
clients-selftest:
	SESSC_CLIENTS="$(CLIENTS)" node scripts/clients/selftest.mjs

# The tables of docs/results.md, made anew or compared with what the code does now.
.PHONY: results results-check
results results-check:
	@[[ -d "$(SAMPLES)" ]] || { echo "no samples in $(SAMPLES): name their folder with SAMPLES=DIR"; exit 1; }
	go run ./scripts/results -samples "$(SAMPLES)" $(if $(filter results-check,$@),-check)

# Writes the expected outputs anew, in every package that has them; read the diff before you commit it.
.PHONY: golden
golden:
	@$(call tests_with,'flag\.Bool.*"update"') | cut -d' ' -f1 | sort -u | while read -r dir; do \
		go test -count=1 "$$dir" -update || exit 1; \
	done

# What a release consists of, into dist/; and a trial of it, which installs the Debian package and removes it again.
.PHONY: dist dist-docs dist-check
dist:
	scripts/dist.sh
dist-docs:
	scripts/dist.sh doc
dist-check:
	scripts/dist-check.sh

.PHONY: clean
clean:
	rm -rf bin dist
