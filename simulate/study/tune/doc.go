// Package tune asks which settings of a policy earn most.
//
//	tune.go      Tune: search on one part of the jobs, report on another
//	knobs.go     the settings that may be varied, and their values
//	rules.go     limits that the settings have to respect
//	race.go      candidates race on the same jobs
//	search.go    settings enter one at a time, and leave again
//	trial.go     the settings found and other policies on the part of the report, and the choice among them
//	baseline.go  how far today's settings are the site of a log
//	standing.go  where the site stands, in one line
package tune
