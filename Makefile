# Everything here needs only Go and make.

GO      ?= go
VERSION := $(shell git describe --tags --dirty 2>/dev/null)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS := -X revopt/cmd/revopt/cli.version=$(VERSION) -X revopt/cmd/revopt/cli.commit=$(COMMIT)
REVOPT  := bin/revopt
ENGINE  := plots/page/built/engine.wasm.gz
FUZZ    ?= 10s
# Four packages at a time, as tests of one goroutine leave a core idle. Collecting garbage less often saves a tenth.
TEST    := GOGC=400 $(GO) test -p 4

.PHONY: build demo hero test test-long test-page race long test-slurm fuzz bench count growth \
	rivals policies warnings scores lint figures readings dist clean

# Without the C library the program runs on any Linux, and its threads need less address space. It knows time zones,
# and not the folder that it was built in.
BUILD := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -tags timetzdata -ldflags '$(LDFLAGS)'
build: $(ENGINE)
	$(BUILD) -o $(REVOPT) ./cmd/revopt

# The engine of pages, with Go's own script that loads it. Functions are inlined only where most of the time is
# spent, which makes the page smaller by an eighth: it has 4.5 MB at most.
INLINED := math revopt/internal/heap revopt/simulate
FORPAGE := -buildvcs=false -trimpath -gcflags=all=-l $(INLINED:%=-gcflags=%=)
$(ENGINE): $(shell find go.mod internal model optimize simulate plots/answer plots/engine -type f ! -name '*_test.go')
	GOOS=js GOARCH=wasm $(GO) build $(FORPAGE) \
		-ldflags '-s -w' -o bin/engine.wasm ./plots/engine/wasm
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" $(@D)
	gzip -9nc bin/engine.wasm > $@

# What is given away: programs, each of which is all that a machine needs, the man page, completions of shells, the
# licenses of all that is linked, and checksums. The same commit makes the same files in any folder.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
PROGRAM    = revopt-$(subst /,-,$(1))
dist: build
	@rm -rf dist && mkdir dist
	@set -e; $(foreach p,$(PLATFORMS),echo $(p); \
		GOOS=$(firstword $(subst /, ,$(p))) GOARCH=$(lastword $(subst /, ,$(p))) $(BUILD) -o dist/$(call PROGRAM,$(p)) ./cmd/revopt;)
	cp LICENSE README.md CITATION.cff dist
	$(REVOPT) completion man > dist/revopt.1
	$(REVOPT) completion bash > dist/revopt.bash
	$(REVOPT) completion zsh > dist/_revopt
	$(REVOPT) completion fish > dist/revopt.fish
	$(GO) run ./internal/release dist $(foreach p,$(PLATFORMS),$(call PROGRAM,$(p)))

# From the log of a site to an answer: a scenario, policies against the bound, what more nodes bring, and a page of this
# log to move sliders on. It ends with three sentences and the names of the pages. At most 30 s with a warm build cache.
DEMO := out/demo
demo: build
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@$(REVOPT) init testdata/site-sacct.txt -o $(DEMO)/site.yaml --quiet > /dev/null
	@$(REVOPT) validate $(DEMO)/site.yaml --html $(DEMO)/policies.html --quiet > $(DEMO)/policies.txt
	@$(REVOPT) whatif $(DEMO)/site.yaml --change cores=+128 --cost 400/core --life 5y --html $(DEMO)/nodes.html \
		--quiet > $(DEMO)/nodes.txt
	@$(REVOPT) explore $(DEMO)/site.yaml -o $(DEMO)/explore.html > /dev/null
	@awk '$$1 == "bound" {sub(/\([^)]*\)/, ""); most = $$2} $$1 == "recorded" {print "The log delivered " $$2 " $$/h, " $$3 " % of the " most \
		" $$/h that no policy can exceed."}' $(DEMO)/policies.txt
	@awk 'NR > 1 && !NF {exit} NR > 1' $(DEMO)/nodes.txt
	@echo "Open in a browser:"
	@echo "  $(DEMO)/policies.html  policies against what none can exceed"
	@echo "  $(DEMO)/nodes.html     what 128 more cores bring"
	@echo "  $(DEMO)/explore.html   a page that computes: move a slider"

# The picture of README.md, in light and dark: what policies of the demo deliver against the load, and the bound.
DARK := FFFFFF:14171A 222222:E8EAED E4E4E4:30363D E9E9E9:22272C 8C8C8C:7D858E 004C84:6DB8F2 C85000:FF8A4C \
	007A58:3FC79F E69F00:F0B23A
hero: build
	@rm -rf out/hero && mkdir -p out/hero
	$(REVOPT) init testdata/site-sacct.txt -o out/hero/site.yaml --quiet > /dev/null
	$(REVOPT) validate out/hero/site.yaml --policy conservative,easy,hol:backfill=true,value-bf --vary load=0.2:2:x19 \
		-o out/hero --quiet > /dev/null
	cp out/hero/site-points-value.svg docs/images/hero.svg
	sed $(foreach pair,$(DARK),-e 's/#$(firstword $(subst :, ,$(pair)))/#$(lastword $(subst :, ,$(pair)))/g') \
		docs/images/hero.svg > docs/images/hero-dark.svg

# The engine is vetted as it is built, so that its packages are compiled once.
lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet $(FORPAGE) ./plots/engine/wasm

# At most 180 s of processor time once everything is compiled. A busy machine may need more than the 10 minutes that Go
# allows a package.
test: lint
	$(TEST) -timeout 30m ./...

# The race detector, the tests that take long, and the fuzz targets. Each prints how long it took.
test-long: lint
	$(GO) vet -tags long,readings ./...
	@set -e; for stage in race long fuzz; do \
		start=$$(date +%s); $(MAKE) --no-print-directory $$stage; \
		echo "$$stage: $$(( $$(date +%s) - start )) s"; \
	done

# The packages that start goroutines, or that several goroutines share, under the race detector. ALONE names tests that
# are left out because they take long and because others run the same code: they draw whole figures, or run the commands
# of the documents. The target fails if a test of ALONE does not exist.
SPACE := $(subst ,, )
ALONE := FiguresAreDrawnAndTraceable Documents
race:
	@for name in $(ALONE); do \
		grep -rq --include='*_test.go' "^func Test$$name(" cmd plots simulate || { echo "race: there is no Test$$name"; exit 1; }; \
	done
	$(TEST) -race -timeout 40m -skip '^Test($(subst $(SPACE),|,$(ALONE)))$$' ./cmd/... ./internal/... ./model/scenario \
		./plots/... ./simulate/metric ./simulate/subject ./simulate/run ./simulate/ask ./simulate/policy/exec

# The tests of the tag long, and the instructions of make count. The Python package needs Debian's
# python3-pandas: root installs it if it is missing.
long:
	@/usr/bin/python3 -c 'import pandas' 2>/dev/null || test "$$(id -u)" != 0 || \
		apt-get install -y -q --no-install-recommends python3-pandas >/dev/null || true
	$(TEST) -tags long -timeout 60m -run "^($$(grep -rl '^//go:build long' --include='*_test.go' . | \
		xargs sed -n 's/^func \(Test[A-Za-z0-9]*\)(t .*/\1/p' | paste -sd '|' -))$$" ./...
	@$(MAKE) --no-print-directory count

# The pages of explore and of reports in a headless Chromium, over a pipe. Root installs Debian's package if there
# is none; without it the tests are skipped. REVOPT_SHOTS=DIR writes pictures. Within 10 minutes.
test-page: build
	@command -v chromium >/dev/null || test "$$(id -u)" != 0 || \
		apt-get install -y -q --no-install-recommends chromium >/dev/null || true
	$(GO) vet -tags page ./plots/page
	$(GO) test -tags page -count 1 -timeout 45m -run '^TestPage' -v ./plots/page

# A log against EASY, GPUs and memory of a log, exported settings and an exported admission, sweeps and other commands on
# a real Slurm with accounting, of 66 nodes here. Needs root; installs Debian's packages where they are missing. Within 15
# minutes where no measurement is repeated.
test-slurm: build
	bash testdata/test-slurm.sh $(REVOPT)

# Those of cmd/revopt/cli run whole commands. To build them with instruments takes longer than to run them.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) -fuzzminimizetime 10x $$package; \
		done; \
	done

# The processor time of this build over that of older commits, which are built from history: alternately, least of
# nine, and instructions if there is valgrind. 37c7857e is the second edition, d38a2fcc the third. The tables of
# testdata/ratios.md: OLD=37c7857e,d38a2fcc BENCH=-write. BENCH='-only vary' takes some rows. TRACE is the SDSC SP2.
RATIO := $(GO) test -tags bench -count 1 -timeout 0 -v ./cmd/revopt/cli
bench:
	@test -n "$(OLD)" || { echo "bench: expected a commit to compare with: make bench OLD=37c7857e"; exit 2; }
	$(RATIO) -run '^TestRatios$$' -args -old $(OLD) -trace $(abspath $(TRACE)) $(BENCH)

# Instructions of five short runs against testdata/instructions.txt: fails above 1.05 times, whatever the load of the
# machine. Root installs Debian's valgrind if there is none; without it, nothing is counted. COUNT=-record writes the
# file.
count:
	@command -v valgrind >/dev/null || test "$$(id -u)" != 0 || \
		apt-get install -y -q --no-install-recommends valgrind >/dev/null || true
	$(RATIO) -run '^TestCount$$' -args $(COUNT)

# How processor time grows with jobs, nodes and classes, against limits. GROWTH='-jobs 300000 -cap 2m' for the full
# table, GROWTH='-only easy' for some rows.
growth: build
	$(RATIO) -run '^TestGrowth$$' -args $(GROWTH) $(CURDIR)/$(REVOPT)

# docs/policies.md, from the policies, their doc comments and docs/rivals.csv.
policies:
	$(GO) test -count 1 -run TestPoliciesDocument ./simulate/subject -write

# docs/warnings.md, from the codes of answers.
warnings:
	$(GO) test -count 1 -run TestWarningsDocument ./plots/answer -write

# All policies on the twelve workloads of testdata/rivals: docs/rivals.csv. Finished runs are kept in out/rivals.
rivals: build
	for w in testdata/rivals/*.yaml; do \
		$(REVOPT) sweep $$w -o out/rivals/$$(basename $$w .yaml) --quiet || exit 1; \
	done
	$(GO) test -tags bench -count 1 -v -run TestRivals ./cmd/revopt/cli -args $(CURDIR)/out/rivals
	@$(MAKE) --no-print-directory policies

# The best policy of revopt on each instance of the benchmark: testdata/bench. TRACE is the SDSC SP2. Five minutes of
# processor time.
scores:
	$(GO) test -tags long -count 1 -timeout 0 -run TestStored ./simulate/bench -write -traces $(abspath $(dir $(TRACE)))

# The verdicts on the claims of the papers, by default and under the alternative readings, and the tables of
# docs/reproduction.md made of them. TRACE is the SDSC SP2. About an hour of processor time.
TRACE ?= ../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz
VERDICTS := cd plots/paper && $(CURDIR)/out/readings/verdicts -trace $(abspath $(TRACE)) \
	-commit $(COMMIT) -test.timeout 0 -test.run
readings:
	@mkdir -p out/readings
	$(GO) test -c -tags readings -o out/readings/verdicts ./plots/paper
	$(VERDICTS) 'TestVerdicts/^(nist|ic)$$' -replications 60
	$(VERDICTS) 'TestVerdicts/^libra$$' -replications 2000
	$(VERDICTS) 'TestVerdicts/^pricing$$' -quick -replications 60
	$(VERDICTS) 'TestVerdicts/^sla$$' -replications 150
	$(GO) test ./plots/paper -run TestReproduction -write

figures: build
	$(REVOPT) figure all -o out/figures

clean:
	rm -rf bin out dist
