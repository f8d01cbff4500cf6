// Package tune asks which settings of a policy earn most.
//
//	tune.go   Tune: search on one part of the jobs, report on another
//	knobs.go  the settings that may be varied, and their values
//	rules.go  limits that the settings have to respect
//	race.go   the search: candidates race on the same jobs
package tune
