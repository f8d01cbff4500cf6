package metric

import (
	"encoding/json"
	"math"
	"testing"
)

// Numbers that are none are null, in both directions.
func TestNumber(t *testing.T) {
	text, err := json.Marshal([]Number{1.5, Number(math.NaN()), Number(math.Inf(1)), Number(math.Inf(-1))})
	if err != nil || string(text) != "[1.5,null,null,null]" {
		t.Errorf("%s, %v", text, err)
	}
	var back []Number
	if err := json.Unmarshal(text, &back); err != nil || back[0] != 1.5 || !math.IsNaN(float64(back[1])) {
		t.Errorf("%v, %v", back, err)
	}
}
