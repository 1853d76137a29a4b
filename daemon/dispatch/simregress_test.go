package dispatch

import "testing"

// Histories that went wrong once, as they were shrunk.
func TestHistoriesThatWentWrongOnce(t *testing.T) {
	for name, c := range map[string]simCase{
		"a bot files its card among the ready ones and fails to the last": {plans: []string{"", "RfR", "", ""}},
		"what one daemon tried is tried at once by another": {plans: []string{"", "", "f", ""}, steps: []simStep{
			{"pass", 2, 3000, 0},
			{"start", 1, 0, 0},
			{"pass", 2, 4000, 0},
			{"kill", 0, 0, 0},
		}},
		"two daemons share the attempts of a card": {plans: []string{"", "", "fRf", ""}, steps: []simStep{{"start", 1, 0, 0}}},
		"a card that was held first and then parked is not renewed": {plans: []string{"", "a", "", ""}, rigid: true, steps: []simStep{
			{"pass", 3, 0, 0},
			{"kill", 3, 0, 0},
			{"fail", 2, 20, 0},
			{"start", 1, 0, 0},
			{"pass", 0, 5000, 2180365088},
		}},
		"a launch fails while the runs cannot be read": {plans: []string{"", "", "f", ""}, rigid: true, steps: []simStep{
			{"move", 0, 3, 0},
			{"pass", 1, 11000, 0},
			{"unpause", 0, 0, 0},
			{"move", 1, 0, 0},
			{"serve", 1, 11, 0},
			{"fail", 2, 20, 0},
			{"launches", 2, 1, 0},
			{"pass", 1, 0, 2863430986},
		}},
		"hooks fail to the last after a run": {plans: []string{"", "", "", "i"}, steps: []simStep{
			{"pass", 0, 9000, 0},
			{"space", 3, 3, 0},
			{"pass", 2, 6000, 0},
			{"pass", 1, 5000, 0},
			{"pass", 2, 9000, 0},
			{"pass", 2, 17000, 0},
		}},
		"a run without a claim loses its supervisor": {plans: []string{"", "", "", ""}, blocks: true, steps: []simStep{
			{"pass", 1, 0, 0},
			{"unreadable", 0, 0, 0},
			{"force", 0, 0, 0},
			{"orphan", 0, 0, 0},
			{"pass", 0, 0, 0},
		}},
		"a parked card is released by force, its run goes on and fails": {plans: []string{"", "R", "af", ""}, rigid: true, steps: []simStep{
			{"pass", 3, 5000, 0},
			{"force", 2, 0, 0},
			{"answer", 2, 0, 0},
			{"hop", 1, 6000, 0},
			{"pass", 1, 3000, 0},
			{"resume", 2, 0, 0},
		}},
		"a card is taken away while its run cannot be read": {plans: []string{"", "h", "", ""}, steps: []simStep{
			{"pass", 1, 0, 0},
			{"move", 1, 3, 0},
			{"unreadable", 1, 0, 0},
			{"serve", 2, 8, 0},
		}},
		"an entry that landed although its write failed hides a dead daemon's": {plans: []string{"q", "", "a", "rq"}, steps: []simStep{
			{"pass", 3, 16000, 0},
			{"pass", 1, 7931, 0},
			{"start", 2, 0, 0},
			{"pass", 1, 3986, 0},
			{"pass", 0, 10000, 0},
			{"lose", 1, 34, 0},
			{"pass", 1, 4338, 984882881},
			{"kill", 2, 0, 0},
		}},
		"a run that was never made cannot be looked for": {plans: []string{"", "", "", ""}, rigid: true, blocks: true, steps: []simStep{
			{"crash", 2, 22, 0},
			{"start", 1, 0, 0},
			{"fail", 2, 32, 0},
			{"pass", 1, 18000, 0},
		}},
		"two daemons, and one of them dies": {plans: []string{"l", "", "a", "frR"}, steps: []simStep{
			{"pass", 2, 3000, 0},
			{"pass", 1, 4618, 0},
			{"start", 2, 0, 0},
			{"wait", 2, 22552, 2834529152},
			{"pass", 1, 9501, 0},
			{"crash", 3, 0, 0},
		}},
		"a held card gives up, and is cut off before it says why": {plans: []string{"a", "P", "", ""}, rigid: true, blocks: true, steps: []simStep{
			{"pass", 0, 0, 3373087100},
			{"hop", 1, 4000, 0},
			{"stop", 3, 0, 0},
			{"fail", 3, 36, 0},
			{"start", 3, 0, 0},
			{"pass", 1, 0, 4197389836},
			{"pass", 3, 7000, 559611327},
			{"pass", 3, 7000, 2371728039},
			{"crash", 1, 0, 0},
		}},
		"a claim landed unheard, and its entry is dropped by an older look": {plans: []string{"", "", "", ""}, rigid: true, blocks: true, steps: []simStep{
			{"lose", 0, 37, 0},
			{"pass", 3, 1000, 1292007169},
			{"crash", 0, 0, 0},
		}},
		"an entry is removed twice, and the second one was adopted": {plans: []string{"", "", "", ""}, steps: []simStep{
			{"look", 2, 0, 0},
			{"serve", 3, 10, 0},
			{"lose", 1, 31, 0},
			{"pass", 0, 12616, 1497694784},
			{"start", 2, 0, 0},
			{"lose", 0, 0, 0},
			{"pass", 3, 3000, 0},
			{"kill", 3, 0, 0},
		}},
		"a start that comes too late wipes out an entry that was adopted meanwhile": {plans: []string{"", "", "", ""}, steps: []simStep{
			{"start", 1, 0, 0},
			{"serve", 3, 4, 2603653},
			{"force", 1, 1, 0},
			{"serve", 3, 5, 328215348},
			{"serve", 1, 3, 0},
			{"serve", 2, 11, 2907577901},
			{"unpause", 2, 0, 0},
			{"crash", 3, 28, 214843684},
		}},
		"a run is to go on whose card another daemon has finished meanwhile": {plans: []string{"", "", "", "q"}, rigid: true, steps: []simStep{
			{"pass", 2, 13000, 0},
			{"resume", 3, 0, 0},
			{"suspend", 1, 0, 0},
			{"start", 0, 0, 0},
			{"wait", 3, 346000, 0},
		}},
		"a run that goes on runs out of its allowance, and its card was taken without an answer": {plans: []string{"", "rMq", "", ""}, steps: []simStep{
			{"pass", 3, 13000, 0},
			{"spend", 2, 1, 0},
			{"wait", 2, 362000, 0},
			{"lose", 3, 38, 0},
			{"force", 1, 0, 0},
			{"start", 3, 0, 0},
			{"resume", 1, 0, 0},
			{"start", 2, 0, 0},
			{"pass", 2, 0, 474257431},
		}},
		"a card is cleared while its run is about to go on": {plans: []string{"", "", "rr", ""}, blocks: true, steps: []simStep{
			{"pass", 0, 7000, 0},
			{"resume", 2, 0, 0},
			{"serve", 0, 8, 0},
			{"clear", 2, 0, 0},
		}},
		"who sleeps over a failure takes an old look for a person's word": {plans: []string{"", "", "", "r"}, steps: []simStep{
			{"serve", 2, 7, 0},
			{"suspend", 2, 0, 0},
			{"start", 0, 0, 0},
			{"pass", 1, 6000, 0},
		}},
		"a card is taken before its dispatcher is ready": {plans: []string{"", "ir", "", ""}, steps: []simStep{
			{"pass", 0, 17000, 0},
			{"start", 0, 0, 0},
			{"resume", 1, 0, 0},
			{"crash", 3, 16, 57693680},
		}},
		"a card is taken away while its run is paused for the cap": {plans: []string{"", "", "hf", ""}, steps: []simStep{
			{"pass", 1, 6000, 0},
			{"move", 2, 3, 0},
			{"spend", 2, 1, 0},
			{"serve", 2, 1, 0},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if bad, trace := play(t, c, simMutant{}); bad != "" {
				t.Fatalf("%s\n%s", bad, excerpt(trace))
			}
		})
	}
}
