package botz

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"iterion/bots/manifest"
)

// Error is an archive, or a bundle to be packed, that breaks the rules.
type Error struct {
	File  string // the archive or the bundle
	Entry string // name inside; empty for the whole
	What  string
}

func (e *Error) Error() string {
	if e.Entry == "" {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s: entry %q %s", e.File, e.Entry, e.What)
}

// Unwrap makes every Error a manifest.ErrInvalid.
func (e *Error) Unwrap() error { return manifest.ErrInvalid }

// kind is what a name stands for.
type kind byte

const (
	absent  kind = iota
	implied      // a folder that only shows as part of a longer name
	folder
	file
	link
)

// entry is one name of an archive.
type entry struct {
	name   string // clean, relative, slashes
	kind   kind
	exec   bool   // the owner may execute the file
	size   int64  // bytes of a file
	target string // of a link
}

// contents are the entries seen so far. It is the one place that knows what an
// archive may hold.
type contents struct {
	limits  Limits
	kinds   map[string]kind
	spelled map[string]string // folded name to the name
	links   []entry
	total   int64
}

func newContents(l Limits) *contents {
	return &contents{limits: l, kinds: map[string]kind{}, spelled: map[string]string{}}
}

// add takes the next entry, or returns in words why it may not be there.
func (c *contents) add(e entry) error {
	if err := checkName(e.name); err != nil {
		return err
	}
	for i, r := range e.name {
		if r != '/' {
			continue
		}
		if err := c.enter(e.name[:i]); err != nil {
			return err
		}
	}
	if k := c.kinds[e.name]; k != absent && (k != implied || e.kind != folder) {
		return errors.New("is there twice")
	}
	if err := c.put(e.name, e.kind); err != nil {
		return err
	}
	if e.kind == link {
		c.links = append(c.links, e)
		return checkTarget(e)
	}
	return c.weigh(e)
}

// enter goes into the folder that a longer name lies in.
func (c *contents) enter(dir string) error {
	switch c.kinds[dir] {
	case absent:
		return c.put(dir, implied)
	case file, link:
		return fmt.Errorf("lies below %q, which is no folder", dir)
	}
	return nil
}

func (c *contents) put(name string, k kind) error {
	key := fold(name)
	if other, ok := c.spelled[key]; ok && other != name {
		return fmt.Errorf("differs from %q in upper and lower case alone", other)
	}
	c.spelled[key] = name
	c.kinds[name] = k
	if len(c.kinds) > c.limits.Names {
		return fmt.Errorf("is one too many: at most %d files and folders", c.limits.Names)
	}
	return nil
}

func (c *contents) weigh(e entry) error {
	if e.size < 0 || e.size > c.limits.File {
		return fmt.Errorf("is larger than %d bytes", c.limits.File)
	}
	c.total += e.size
	if c.total > c.limits.Total {
		return fmt.Errorf("makes it larger than %d bytes in all", c.limits.Total)
	}
	return nil
}

// finish checks what can only be known at the end: where links lead. The entry
// returned is the one that is wrong.
func (c *contents) finish() (entry, error) {
	top := c.only()
	for _, l := range c.links {
		if err := c.checkLink(l); err != nil {
			return l, err
		}
		// What is in bounds of the one folder around it may not be in its own.
		inner := l
		inner.name = strings.TrimPrefix(l.name, top+"/")
		if err := checkTarget(inner); err != nil {
			return l, err
		}
	}
	return entry{}, nil
}

func (c *contents) checkLink(l entry) error {
	to := path.Join(path.Dir(l.name), l.target)
	switch c.kinds[to] {
	case absent:
		return fmt.Errorf("is a link to %q, which is not in the bundle", l.target)
	case link:
		return fmt.Errorf("is a link to the link %q", l.target)
	}
	return nil
}

// only returns the one folder that everything lies in, if there is one.
func (c *contents) only() string {
	top := ""
	for name, k := range c.kinds {
		first, _, _ := strings.Cut(name, "/")
		if top != "" && first != top || first == name && k != folder && k != implied {
			return ""
		}
		top = first
	}
	return top
}

// maxName bounds names in bytes, so that a bundle fits below any folder.
const maxName = 512

func checkName(name string) error {
	switch {
	case name == "" || strings.HasPrefix(name, "/"):
		return errors.New("has an absolute name")
	case len(name) > maxName:
		return fmt.Errorf("has a name of more than %d bytes", maxName)
	case !utf8.ValidString(name):
		return errors.New("has a name that is no UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl) || strings.Contains(name, `\`):
		return errors.New("has a control character or a backslash in its name")
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "..":
			return errors.New("leads out of the bundle")
		case part == "" || part == ".":
			return errors.New("has an empty part in its name")
		case len(part) > 255:
			return errors.New("has a part of more than 255 bytes in its name")
		}
	}
	return nil
}

// checkTarget wants a link that says the plain way to its target: some .. first,
// then names. Folders above a link are no links themselves, so that such a way
// cannot lead elsewhere than it reads.
func checkTarget(e entry) error {
	to := path.Join(path.Dir(e.name), e.target)
	switch {
	case e.target == "" || path.IsAbs(e.target) || to == ".." || strings.HasPrefix(to, "../"):
		return fmt.Errorf("is a link to %q, which leads out of the bundle", e.target)
	case e.target != path.Clean(e.target) || strings.Contains(e.target, `\`):
		return fmt.Errorf("is a link to %q, want the plain way to it", e.target)
	}
	return nil
}

// fold maps names that a file system without case takes for the same to the same.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}
