package scenario

import (
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// TestRenamed states the largest penalty and the price of class a by their names, old
// names and overrides of either: the last one counts.
func TestRenamed(t *testing.T) {
	const penalty, price = "max_penalty: {of_price: 5%}", "price: 50"
	five, three := model.Floor{OfPrice: 0.05}, model.Floor{Fixed: 3}
	for _, test := range []struct {
		penalty, price string
		set            []string
		floor          model.Floor
		perHour        float64
		old            bool
	}{
		{penalty, price, nil, five, 0, false},
		{"floor: {of_price: 5%}", price, nil, five, 0, true},
		{penalty, price, []string{"classes.a.floor=3"}, three, 0, true},
		{"floor: {of_price: 5%}", price, []string{"classes.a.max_penalty=3"}, three, 0, false},
		{penalty, price, []string{"classes.a.floor=1", "classes.a.max_penalty=3"}, three, 0, false},
		{penalty, price, []string{"classes.a.max_penalty=1", "classes.0.floor=3"}, three, 0, true},
		{penalty, price, []string{"classes.a.floor.of_price=0.05"}, five, 0, true},
		{"", price, []string{"classes.a.floor=none", "classes.a.expire=never"}, model.Floor{None: true}, 0, true},
		{penalty, "price: {per_unit_hour: 2}", nil, five, 2, false},
		{penalty, "price: {per_node_hour: 2}", nil, five, 2, false},
		{penalty, "price: {per_node_hour: 9}", []string{"classes.a.price.per_unit_hour=2"}, five, 2, false},
		{penalty, "price: {per_unit_hour: 9}", []string{"classes.a.price.per_node_hour=2"}, five, 2, false},
	} {
		text := strings.Replace(strings.Replace(good, penalty, test.penalty, 1), price, test.price, 1)
		var list []Override
		for _, arg := range test.set {
			list = append(list, mustParse(t, arg))
		}
		s, err := decodeText(text, list...)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		old := slices.ContainsFunc(s.Warnings, func(w Warning) bool { return w.Kind == WarnRenamed })
		if c := s.Classes[0]; c.Floor != test.floor || !near(c.Price.PerNodeSecond*3600, test.perHour) || old != test.old {
			t.Errorf("%+v: floor %+v, price %+v, old %t", test, c.Floor, c.Price, old)
		}
	}
	doc, err := Parse("s.yaml", []byte(good))
	for _, path := range []string{"classes.a.floor.of_price", "classes.0.max_penalty.of_price"} {
		if bad := doc.CheckNumeric(path); err != nil || bad != nil {
			t.Errorf("%v, %v", err, bad)
		}
	}
}

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

// TestTypedPolicies: a list has policies as they are typed after --policy too.
func TestTypedPolicies(t *testing.T) {
	typed := "  - easy:overrun=kill\n  - 'libra+$:alpha=1:beta=0.5'\n"
	s, err := decodeTrace(strings.Replace(goodTrace, "  - easy\n  - libra+$: {beta: 0.5}\n", typed, 1))
	if err != nil || len(s.Policies) != 2 || s.Policies[0].Options["overrun"] != "kill" ||
		s.Policies[1].Options["alpha"] != "1" || s.Policies[1].Options["beta"] != "0.5" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := sweepOf(t, "scenario: nist-four\npolicies: [hol:backfill=1]\n"); err != nil || s.Policies[0].Options["backfill"] != "1" {
		t.Errorf("%+v, %v", s, err)
	}
}
