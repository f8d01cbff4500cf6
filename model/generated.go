package model

// Generators of jobs, named in place of the file of a trace.
const (
	SP2Like = "sp2-like" // jobs that resemble those of the SDSC SP2
	AILike  = "ai-like"  // jobs of a site with cores and GPUs
)

// Generators returns the names of the generators of jobs.
func Generators() []string { return []string{SP2Like, AILike} }

// Generated reports whether the file of a trace is a generator.
func Generated(file string) bool { return file == SP2Like || file == AILike }
