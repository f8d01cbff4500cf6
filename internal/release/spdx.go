package main

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// A spdx is a document of SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3: what a program is made of.
type spdx struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID        string      `json:"SPDXID"`
	Name      string      `json:"name"`
	Version   string      `json:"versionInfo,omitempty"`
	From      string      `json:"downloadLocation"`
	Analyzed  bool        `json:"filesAnalyzed"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Refs      []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Of   string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unsaid = "NOASSERTION"
	ours   = "SPDXRef-revopt"
	itself = "SPDXRef-DOCUMENT"
)

// document lists revopt and the modules that it is linked with. Its name in the world is made of the list, so that
// equal lists are equal files.
func document(created string, modules []module) spdx {
	d := spdx{Version: "SPDX-2.3", License: "CC0-1.0", ID: itself, Name: "revopt",
		Creation: creation{created, []string{"Tool: revopt-release"}},
		Packages: []spdxPackage{{ID: ours, Name: "revopt", From: unsaid, Concluded: "BSD-3-Clause",
			Declared: "BSD-3-Clause", Copyright: unsaid}},
		Relationships: []relationship{{itself, "DESCRIBES", ours}}}
	sum := sha256.New()
	for _, m := range modules {
		fmt.Fprintln(sum, m.path, m.version)
		id := "SPDXRef-" + regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(m.path, "-")
		kind := licenseOf(m.texts)
		d.Packages = append(d.Packages, spdxPackage{ID: id, Name: m.path, Version: m.version, From: unsaid,
			Concluded: kind, Declared: kind, Copyright: unsaid,
			Refs: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.path + "@" + m.version}}})
		d.Relationships = append(d.Relationships, relationship{ours, "STATIC_LINK", id})
	}
	d.Namespace = fmt.Sprintf("urn:sha256:%x", sum.Sum([]byte(created)))
	return d
}

// licenseOf returns the SPDX name of a license, or that nothing is said: of several or of an unknown one, as the texts
// themselves are beside the list.
func licenseOf(texts []string) string {
	var names []string
	for _, t := range texts {
		words := strings.Join(strings.Fields(strings.ReplaceAll(t, ">", " ")), " ")
		switch {
		case strings.Contains(words, "Additional IP Rights Grant"): // PATENTS of Go grants more, and takes nothing
		case strings.Contains(words, "Permission is hereby granted, free of charge") && strings.Contains(words, "AS IS"):
			names = append(names, "MIT")
		case strings.Contains(words, "Redistribution and use in source and binary forms") &&
			strings.Contains(words, "contributors may be used to endorse"):
			names = append(names, "BSD-3-Clause")
		case strings.Contains(words, "Redistribution and use in source and binary forms"):
			names = append(names, "BSD-2-Clause")
		default:
			return unsaid
		}
	}
	if len(names) != 1 {
		return unsaid
	}
	return names[0]
}
