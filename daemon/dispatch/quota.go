package dispatch

// How a bot wants its runs to be tried again whose allowance was used up.
const (
	UsageResume  = "resume"  // wait, then go on with the run where the bot can: the default
	UsageRestart = "restart" // wait, then start afresh
	UsageFail    = "fail"    // like any other failure
)
