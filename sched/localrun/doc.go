// Package localrun is what the gate and the effect worker see of the runs of one
// store on this machine: which of a schedule's runs are live, how one is ended with
// proof, and how one is launched at most once.
//
// # Live
//
// The runs of a schedule are told by the provenance in their records. One that is
// queued, running or paused is live. If it needs a supervisor and its lock is free
// it has lost it and is settled first; one whose end cannot be proven stays live. A
// record that cannot be read is judged by its lock, and where nobody ever read
// whose it is, it counts for every schedule.
//
// Whose a run is never changes, and a run that is finished, failed or cancelled
// never lives again. So both are remembered, in memory and in the file .sources of
// the runs folder, and a store of thousands of runs is not read at each tick. The
// file is disposable: it has a checksum, says nothing of a run that could not be
// read, and is made anew when it is gone. It rests on ids of runs never being used
// twice.
//
// # Launch
//
//	exists    a run of that id is the very launch that is asked for: its record
//	refused   the launch will never work as it is: *RefusedError, no run
//	held      Host.Cap, the working folder or the bot's program are in the way: an
//	          error, no run
//	started   the run's folder appears, the supervisor takes over
//	unstarted the bot could not be started all the same: *UnstartedError, the run
//	          stays on record as failed
//
// Launch returns when the bot runs, or a few seconds later if that takes longer. A
// caller that dies anywhere in between asks again under the same id.
//
// # End
//
// A stale run is stopped and becomes failed_resumable, a superseded one is
// cancelled. Either has ended when its record says so, which its supervisor writes
// once its tree is proven gone.
package localrun
