// Package pattern holds regular expressions that are compiled when they are first
// used. Engines have dozens of them and need few in a run; compiled at the start,
// they would be paid for by every call of iterion and by every start of a bot.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression, safe for concurrent use.
type Pattern struct{ get func() *regexp.Regexp }

var all []Pattern

// New returns the pattern of a text. It is for package variables only: a text that
// is no regular expression panics at its first use, which CheckAll is there to find.
func New(text string) Pattern {
	p := Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	all = append(all, p)
	return p
}

// CheckAll compiles the patterns of all packages that are linked in and returns how
// many they are.
func CheckAll() int {
	for _, p := range all {
		p.get()
	}
	return len(all)
}

// MatchString is that of regexp.Regexp, as are the others.
func (p Pattern) MatchString(s string) bool { return p.get().MatchString(s) }

// FindString is that of regexp.Regexp.
func (p Pattern) FindString(s string) string { return p.get().FindString(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (p Pattern) FindStringSubmatch(s string) []string { return p.get().FindStringSubmatch(s) }

// FindAllStringSubmatch is that of regexp.Regexp.
func (p Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (p Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of regexp.Regexp.
func (p Pattern) ReplaceAllString(s, with string) string { return p.get().ReplaceAllString(s, with) }

// ReplaceAll is that of regexp.Regexp.
func (p Pattern) ReplaceAll(b, with []byte) []byte { return p.get().ReplaceAll(b, with) }
