package conf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadMachine adds up nodes that are described in several ways.
func TestReadMachine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slurm.conf")
	const conf = `ClusterName=x
NodeName=DEFAULT CPUs=32
NodeName=DEFAULT State=UNKNOWN
NodeName=n[1-10] RealMemory=1000
NodeName=g[1-2] CPUs=64 Gres=gpu:a100:4,bandwidth:1
NodeName=h1 CPUs=8 Gres=gpu:2(S:0)
NodeName=DEFAULT Sockets=2 CoresPerSocket=8 ThreadsPerCore=2
NodeName=f[1-3] State=UNKNOWN
PartitionName=batch Nodes=n[1-10]
`
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadMachine(path)
	want := Machine{Cores: 10*32 + 2*64 + 8 + 3*32, Nodes: 16, GPUs: 10}
	if err != nil || got != want || got.Of("core") != want.Cores || got.Of("unit") != 0 {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// TestBadMachine: numbers that no node has are refused, by line and field.
func TestBadMachine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slurm.conf")
	for field, want := range map[string]string{
		"CPUs=-8": ":2: cpus: ", "CPUs=99999999999999": ":2: cpus: ", "CPUs=many": ":2: cpus: ", "Sockets=0": ":2: sockets: ",
		"Gres=gpu:-4": ":2: gres: ",
	} {
		if err := os.WriteFile(path, []byte("ClusterName=x\nNodeName=n[1-2] "+field+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadMachine(path); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%s: %+v, %v", field, got, err)
		}
	}
}
