package supervise

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// blot stands where a secret was.
const blot = "[redacted]"

// minSecret is the shortest value that is blotted out, in bytes: hiding every "1"
// would hide the log.
const minSecret = 4

// redactor blots secrets out of a stream, also where one is cut in two by the
// boundary between writes. It holds back only what may be the beginning of one.
// Each stream needs its own.
type redactor struct {
	secrets [][]byte // longest first
	held    []byte   // what may be the beginning of one

	text, out []byte // kept for the next piece
}

func newRedactor(values []string) *redactor {
	r := &redactor{}
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		r.add([]byte(v))
		r.addQuoted(v)
	}
	slices.SortFunc(r.secrets, func(a, b []byte) int { return len(b) - len(a) })
	return r
}

// addQuoted adds a value as it stands inside JSON, of which some writers escape
// <, > and & and some do not.
func (r *redactor) addQuoted(v string) {
	for _, html := range []bool{true, false} {
		var quoted bytes.Buffer
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(html)
		if enc.Encode(v) == nil {
			r.add(quoted.Bytes()[1 : quoted.Len()-2])
		}
	}
}

func (r *redactor) add(s []byte) {
	if !slices.ContainsFunc(r.secrets, func(x []byte) bool { return bytes.Equal(x, s) }) {
		r.secrets = append(r.secrets, s)
	}
}

// fresh returns a redactor of the same secrets for another stream.
func (r *redactor) fresh() *redactor { return &redactor{secrets: r.secrets} }

// next takes a piece of the stream and returns what can be shown of it so far.
// The result is valid until the next call.
func (r *redactor) next(p []byte) []byte {
	if len(r.secrets) == 0 {
		return p
	}
	r.text = append(append(r.text[:0], r.held...), p...)
	shown, rest := r.scan(r.text)
	r.held = append(r.held[:0], rest...)
	return shown
}

// longest is the length of the longest secret, at least 1.
func (r *redactor) longest() int {
	if len(r.secrets) == 0 {
		return 1
	}
	return len(r.secrets[0])
}

// rest returns what was held back, at the end of the stream.
func (r *redactor) rest() []byte {
	rest := r.held
	r.held = nil
	for i := range r.secrets { // a short secret may lie inside the start of a long one
		rest = bytes.ReplaceAll(rest, r.secrets[i], []byte(blot))
	}
	return rest
}

// mask overwrites every secret in text with asterisks and returns where the first
// begins and the last ends.
func (r *redactor) mask(text []byte) (from, to int) {
	found := [][2]int{}
	for _, s := range r.secrets {
		for at := 0; ; at++ {
			i := bytes.Index(text[at:], s)
			if i < 0 {
				break
			}
			at += i
			found = append(found, [2]int{at, at + len(s)})
		}
	}
	if len(found) == 0 {
		return 0, 0
	}
	from = len(text)
	for _, f := range found { // only now, for secrets may overlap
		copy(text[f[0]:f[1]], bytes.Repeat([]byte("*"), f[1]-f[0]))
		from, to = min(from, f[0]), max(to, f[1])
	}
	return from, to
}

// clean blots secrets out of a text that is whole.
func (r *redactor) clean(s string) string {
	if !slices.ContainsFunc(r.secrets, func(secret []byte) bool { return strings.Contains(s, string(secret)) }) {
		return s
	}
	return string(r.bytes([]byte(s)))
}

// bytes is clean for bytes, which are left as they are.
func (r *redactor) bytes(b []byte) []byte {
	if !slices.ContainsFunc(r.secrets, func(secret []byte) bool { return bytes.Contains(b, secret) }) {
		return b
	}
	one := r.fresh()
	shown := slices.Clone(one.next(b))
	return append(shown, one.rest()...)
}

func (r *redactor) scan(text []byte) (shown, rest []byte) {
	r.out = r.out[:0]
	for {
		at, size := r.find(text)
		open := r.unfinished(text)
		if at < 0 || at >= open {
			if len(r.out) == 0 { // as nearly always
				return text[:open], text[open:]
			}
			r.out = append(r.out, text[:open]...)
			return r.out, text[open:]
		}
		r.out = append(append(r.out, text[:at]...), blot...)
		text = text[at+size:]
	}
}

// find returns the first secret in text, the longest of those that begin there.
func (r *redactor) find(text []byte) (at, size int) {
	at = -1
	for _, s := range r.secrets {
		end := len(text)
		if at >= 0 {
			end = min(end, at+len(s)-1) // only an earlier one is of interest
		}
		if i := bytes.Index(text[:end], s); i >= 0 {
			at, size = i, len(s)
		}
	}
	return at, size
}

// unfinished returns where the text ends in what may become a secret.
func (r *redactor) unfinished(text []byte) int {
	open := len(text)
	for _, s := range r.secrets {
		for n := min(len(s)-1, len(text)); n > 0; n-- {
			if bytes.HasSuffix(text, s[:n]) {
				open = min(open, len(text)-n)
				break
			}
		}
	}
	return open
}
