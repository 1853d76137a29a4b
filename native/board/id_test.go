package board

import (
	"errors"
	"strings"
	"testing"
)

func TestShortID(t *testing.T) {
	for id, want := range map[string]string{
		"native:0fe1c2d3-0000-4000-8000-000000000001": "0fe1c2d3", "native:a": "native:a", "jira-7": "jira-7", "": "",
	} {
		if got := ShortID(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
	if a, b := NewID(), NewID(); ShortID(a) == ShortID(b) || CheckID(a) != nil {
		t.Errorf("new ids %s and %s", a, b)
	}
}

func TestCheckIDRefusesWhatNoFileCanBeNamedAfter(t *testing.T) {
	for _, id := range []string{"", ".", "..", "../x", "a/b", "a b", "a\x00", ".hidden", "a__b", "é", strings.Repeat("a", 129)} {
		if err := CheckID(id); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestResolve(t *testing.T) {
	ids := []string{"native:aaaa1111-0", "native:aaaa2222-0", "native:nati3333-0", "x:1", "native:aaaa1111-0-longer"}
	for ref, want := range map[string]string{
		"aaaa2": "native:aaaa2222-0", "native:aaaa2": "native:aaaa2222-0", "nati": "native:nati3333-0",
		"x:1": "x:1", "aaaa1111-0": "native:aaaa1111-0",
	} {
		if got, err := Resolve(ref, ids); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %s", ref, got, err, want)
		}
	}
	close := []string{"native:ABCD-1", "native:abcd-1", "native:x:1", "x:1"}
	for ref, want := range map[string]string{
		"abcd-1": "native:abcd-1", "ABCD-1": "native:ABCD-1", "native:abcd-1": "native:abcd-1", "x:1": "x:1", "native:x:1": "native:x:1",
		"Native:ABCD-1": "native:ABCD-1",
	} {
		if got, err := Resolve(ref, close); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %s", ref, got, err, want)
		}
	}
	for ref, want := range map[string]error{"aaa": ErrInvalid, "native:": ErrInvalid, "native:aaa": ErrInvalid, "aaaa": ErrInvalid, "bbbb": ErrNotFound} {
		if got, err := Resolve(ref, ids); !errors.Is(err, want) {
			t.Errorf("%q: %q, %v; want %v", ref, got, err, want)
		}
	}
}

func TestFullID(t *testing.T) {
	const bare = "0fe1c2d3-0000-4000-8000-00000000000a"
	for ref, want := range map[string]bool{
		"native:" + bare: true, bare: true, " " + bare + " ": true, "native:0fe1": false, "0FE1C2D3-0000-4000-8000-00000000000A": false,
		"{" + bare + "}": false, "0fe1c2d30000400080000000000000aa": false, "gh:" + bare: false, "": false,
	} {
		id, ok := FullID(ref)
		if ok != want || ok && id != "native:"+bare {
			t.Errorf("%q: %q, %v", ref, id, ok)
		}
	}
}
