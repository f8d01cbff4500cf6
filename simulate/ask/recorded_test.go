package ask

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// TestRecordedSP2 prices three months of the SDSC SP2 by the lines of its log.
func TestRecordedSP2(t *testing.T) {
	path, err := filepath.Abs("../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Skip("the trace is absent: ", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var value, waits, ran, punctual, submitted float64
	for lines := bufio.NewScanner(unzipped); lines.Scan(); {
		var number, submit, wait, length, allocated, cpu, memory, width float64
		if n, _ := fmt.Sscan(lines.Text(), &number, &submit, &wait, &length, &allocated, &cpu, &memory, &width); n < 8 || submit < 248*86400 || submit >= 340*86400 {
			continue
		}
		if submitted++; length <= 0 {
			continue
		}
		price, late := 2*width*length/3600, max(0, wait+length-3*length)
		value += price - min(price*late/36000, 1.2*price)
		waits, ran = waits+wait, ran+1
		if wait <= 600 {
			punctual++
		}
	}
	c := simulated(t, "trace: {file: "+path+", jobs: 'from:248d:340d', cleaning: keep}\nclasses: [{name: all, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3},"+
		" max_penalty: {of_price: 20%}, slo: {within: 600, level: 0.9}}]\n", Request{Policies: []string{subject.Recorded}})
	for name, want := range map[string]float64{
		run.ColumnValueTotal: value, "mean_wait": waits / ran, "promise_kept": punctual / submitted, "jobs_completed": ran, "jobs_expired": submitted - ran,
	} {
		if got := cell(t, c.Answer, 0, name).Number; !fixture.Near(got, want, 1e-9) {
			t.Errorf("%s: %.10g, want %.10g", name, got, want)
		}
	}
}
