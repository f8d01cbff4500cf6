package cli

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	out := must(t, "version")
	for _, want := range []string{"revopt", "commit", runtime.Version()} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	var b buildInfo
	if err := json.Unmarshal([]byte(must(t, "version", "--json")), &b); err != nil || b.Version == "" || b.Commit == "" ||
		b.Go != runtime.Version() {
		t.Errorf("%v: %+v", err, b)
	}
}

// TestBuildOf reads what the go command records of builds in a clone, in a source
// tree without history, by version, and as part of another module.
func TestBuildOf(t *testing.T) {
	const full, other = "09a7c38f8523cbf68e0f0d3e22dbb63023a58991", "ffffffffffffffffffffffffffffffffffffffff"
	const pseudo = "v0.0.0-20261115203312-09a7c38f8523"
	vcs := func(revision string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}}
	}
	own := func(version string) debug.Module { return debug.Module{Path: modulePath, Version: version} }
	theirs := debug.Module{Path: "example.com/other", Version: "v1.2.3"}
	for name, tt := range map[string]struct {
		version, commit string // of the linker
		info            *debug.BuildInfo
		want, wantID    string
	}{
		"nothing":    {"", "", nil, release, "unknown"},
		"linker":     {"v1", "abc", &debug.BuildInfo{Main: own(pseudo), Settings: vcs(full)}, "v1", "abc"},
		"clone":      {"", "", &debug.BuildInfo{Main: own(pseudo), Settings: vcs(full)}, release, full},
		"old go":     {"", "", &debug.BuildInfo{Main: own("(devel)"), Settings: vcs(full)}, release, full},
		"no history": {"", "", &debug.BuildInfo{Main: own("(devel)")}, release, "unknown"},
		"cache":      {"", "", &debug.BuildInfo{Main: own(pseudo)}, release, "09a7c38f8523"},
		"changed":    {"", "", &debug.BuildInfo{Main: own(pseudo + "+dirty")}, release, "09a7c38f8523"},
		"after tag":  {"", "", &debug.BuildInfo{Main: own("v1.2.4-0.20261115203312-09a7c38f8523")}, release, "09a7c38f8523"},
		"tag":        {"", "", &debug.BuildInfo{Main: own("v1.2.3")}, "v1.2.3", "unknown"},
		"dependency": {"", "", &debug.BuildInfo{Main: theirs, Settings: vcs(other),
			Deps: []*debug.Module{{Path: modulePath, Version: pseudo}}}, release, "09a7c38f8523"},
		"replaced": {"", "", &debug.BuildInfo{Main: theirs, Settings: vcs(other),
			Deps: []*debug.Module{{Path: modulePath, Version: "v0.0.0",
				Replace: &debug.Module{Path: "../.."}}}}, release, "unknown"},
	} {
		if b := buildOf(tt.version, tt.commit, tt.info); b.Version != tt.want || b.Commit != tt.wantID {
			t.Errorf("%s: %s, %s, want %s, %s", name, b.Version, b.Commit, tt.want, tt.wantID)
		}
	}
}
