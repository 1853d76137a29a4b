package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

const (
	idPrefix  = "native:"
	minPrefix = 4   // characters of the shortest reference
	maxIDLen  = 128 // keeps an id a file name
	maxListed = 10  // matches that an AmbiguousError lists
)

// NewID returns the id of a new card. It is random from its first digit on, so
// that short forms tell cards apart.
func NewID() string { return idPrefix + uuid.NewString() }

// ShortID returns the form of an id that people read: the first eight digits of
// its uuid. An id of another make stays as it is.
func ShortID(id string) string {
	bare, ok := strings.CutPrefix(id, idPrefix)
	if !ok || len(bare) < 8 {
		return id
	}
	return bare[:8]
}

// CheckID refuses an id that cannot name a record in every twin.
func CheckID(id string) error {
	bad := id == "" || len(id) > maxIDLen || id[0] == '.' || strings.Contains(id, "__")
	for _, c := range []byte(id) {
		bad = bad || !isIDByte(c)
	}
	if bad {
		return fmt.Errorf("%w: id %q: an id is letters, digits and . _ : -, at most %d of them", ErrInvalid, id, maxIDLen)
	}
	return nil
}

func isIDByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._:-", c) >= 0
}

// Resolve finds the one id that ref names: the full id, the bare uuid, or a
// prefix of either with at least four characters. Errors: ErrNotFound,
// ErrInvalid, and *AmbiguousError whose matches have nothing but their ID.
func Resolve(ref string, ids []string) (string, error) {
	ref = strings.TrimSpace(ref)
	if id, ok := whole(ref, ids); ok {
		return id, nil
	}
	var found []string
	for _, id := range ids {
		bare := strings.TrimPrefix(id, idPrefix)
		if hasFoldPrefix(bare, ref) || strings.Contains(ref, ":") && hasFoldPrefix(id, ref) {
			found = append(found, id)
		}
	}
	switch bare := strings.TrimPrefix(ref, idPrefix); {
	case len(bare) < minPrefix:
		return "", fmt.Errorf("%w: %q: name an issue by its id or at least %d characters of it", ErrInvalid, ref, minPrefix)
	case len(found) == 0:
		return "", fmt.Errorf("issue %q: %w", ref, ErrNotFound)
	case len(found) == 1:
		return found[0], nil
	}
	return "", ambiguous(ref, found)
}

// whole finds the id that ref spells out; the closest spelling counts, for ids of
// another make may differ in nothing but case or prefix.
func whole(ref string, ids []string) (string, bool) {
	same := func(a, b string) bool { return a == b }
	for _, equal := range []func(a, b string) bool{same, strings.EqualFold} {
		for _, full := range []string{ref, idPrefix + ref} {
			if i := slices.IndexFunc(ids, func(id string) bool { return equal(id, full) }); i >= 0 {
				return ids[i], true
			}
		}
	}
	return "", false
}

func ambiguous(ref string, ids []string) *AmbiguousError {
	slices.Sort(ids)
	e := &AmbiguousError{Ref: ref}
	for _, id := range ids[:min(len(ids), maxListed)] {
		e.Matches = append(e.Matches, Issue{ID: id})
	}
	e.More = len(ids) - len(e.Matches)
	return e
}

// FullID returns the id that ref spells out in full, with or without its prefix,
// where it is of the form of NewID. Nothing else can be meant by it.
func FullID(ref string) (id string, ok bool) {
	bare := strings.TrimPrefix(strings.TrimSpace(ref), idPrefix)
	u, err := uuid.Parse(bare)
	return idPrefix + bare, err == nil && u.String() == bare
}

func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
