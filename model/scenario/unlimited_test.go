package scenario

import (
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// TestUnlimited: a class that loses value without limit is listed if the file does not
// say so, and jobs of a trace stay unless it says that they leave.
func TestUnlimited(t *testing.T) {
	s, err := decodeTrace(customers)
	if err != nil || !slices.Equal(s.Unlimited, []string{"industry"}) || s.Classes[1].Expire != model.ExpireNever {
		t.Errorf("%v, expire %v, %v", s.Unlimited, s.Classes[1].Expire, err)
	}
	for arg, expire := range map[string]model.Expiry{"max_penalty=none": model.ExpireNever, "hard=true": model.ExpireNever,
		"decay=0": model.ExpireNever, "max_penalty=1 expire=floor": model.ExpireFloor} {
		var list []Override
		for word := range strings.FieldsSeq(arg) {
			list = append(list, mustParse(t, "classes.industry."+word))
		}
		if s, err := decodeTrace(customers, list...); err != nil || s.Unlimited != nil || s.Classes[0].Expire != expire {
			t.Errorf("%s: %+v, %v", arg, s, err)
		}
	}
}
