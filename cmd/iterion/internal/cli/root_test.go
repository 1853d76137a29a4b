package cli

import "testing"

func TestOnlyTheAskedCommandIsBuilt(t *testing.T) {
	total := 0
	for _, s := range sections() {
		for _, c := range s.commands {
			total++
			if got := c.build(NewFactory(System(), Hooks{})).Name(); got != c.name {
				t.Errorf("%q builds %q", c.name, got)
			}
			if built := newRoot(NewFactory(System(), Hooks{}), []string{c.name, "--help"}).Commands(); len(built) != 1 || built[0].Name() != c.name {
				t.Errorf("a line that begins with %q builds %d commands", c.name, len(built))
			}
		}
	}
	for _, args := range [][]string{nil, {"--json", "version"}, {"isue"}, {"dispatch"}, {"help", "run"}, {"__complete", ""}} {
		if built := newRoot(NewFactory(System(), Hooks{}), args).Commands(); len(built) < total {
			t.Errorf("%q builds %d commands, want all %d", args, len(built), total)
		}
	}
}
