package trigger_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"iterion/sched/trigger"
)

func TestVarsOfALaunch(t *testing.T) {
	payload := map[string]any{
		"vars": map[string]any{"a": "event", "b": "event", "n": 3.5, "list": []any{"x", 1.0}, "yes": true, "nil": nil},
		"args": "said",
	}
	for _, c := range []struct {
		name    string
		event   trigger.Event
		sub     trigger.Subscription
		want    map[string]string
		without bool
	}{
		{"the subscription's go over the event's", trigger.Event{Payload: payload}, trigger.Subscription{Vars: map[string]string{"b": "sub"}},
			map[string]string{"a": "event", "b": "sub", "n": "3.5", "list": `["x",1]`, "yes": "true", "nil": ""}, false},
		{"args_var goes over both, with title and text", trigger.Event{Payload: payload, Subject: trigger.Subject{Title: "Fix it", Body: "All of it.\n"}},
			trigger.Subscription{Vars: map[string]string{"p": "sub"}, ArgsVar: "p"}, map[string]string{"p": "Fix it\n\nAll of it.\n"}, true},
		{"a title alone", trigger.Event{Subject: trigger.Subject{Title: "Fix it", Body: " \n"}}, trigger.Subscription{ArgsVar: "p"},
			map[string]string{"p": "Fix it"}, true},
		{"without a subject it takes payload.args", trigger.Event{Payload: payload}, trigger.Subscription{ArgsVar: "p"},
			map[string]string{"p": "said"}, true},
		{"a list of args", trigger.Event{Payload: map[string]any{"args": []any{"one", "two", 3.0}}}, trigger.Subscription{ArgsVar: "p"},
			map[string]string{"p": "one two 3"}, true},
		{"nothing to say leaves the subscription's", trigger.Event{}, trigger.Subscription{ArgsVar: "p", Vars: map[string]string{"p": "sub"}},
			map[string]string{"p": "sub"}, false},
		{"vars that are no mapping are none", trigger.Event{Payload: map[string]any{"vars": "a=b"}}, trigger.Subscription{}, map[string]string{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := trigger.Vars(c.event, c.sub)
			if c.without {
				for _, k := range []string{"a", "b", "n", "list", "yes", "nil"} {
					delete(got, k)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
