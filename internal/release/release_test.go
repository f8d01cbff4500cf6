package main

import (
	"testing"
)

func TestLicenseOf(t *testing.T) {
	const bsd = "Redistribution and use in source and\nbinary forms, with or without modification"
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{bsd}, "BSD-2-Clause"},
		{[]string{bsd + " Neither the name nor its contributors may be used to endorse"}, "BSD-3-Clause"},
		{[]string{bsd, "Additional IP Rights Grant (Patents)"}, "BSD-2-Clause"},
		{[]string{"Permission is hereby granted, free of charge, to any person ... \"AS IS\""}, "MIT"},
		{[]string{bsd, "Permission is hereby granted, free of charge ... AS IS"}, unsaid},
		{[]string{"All rights reserved."}, unsaid},
		{nil, unsaid},
	} {
		if got := licenseOf(c.texts); got != c.want {
			t.Errorf("%q: %s, want %s", c.texts, got, c.want)
		}
	}
}

func TestCompleteTime(t *testing.T) {
	if err := complete("yesterday", t.TempDir(), nil); err == nil {
		t.Error("a time that is none is taken")
	}
}
