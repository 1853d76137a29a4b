package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// keyMax keeps a key, its hash and our suffixes within what file systems take
// for one name.
const keyMax = 180

// Key is the name of a card's folder: the id itself where that is a plain name,
// else its readable part and a hash of all of it.
func Key(id string) (string, error) {
	if id == "" {
		return "", errors.New("a card without an id has no workspace")
	}
	plain := strings.Map(plainRune, id)
	if plain[0] == '.' {
		plain = "_" + plain[1:]
	}
	if plain == id && len(id) <= keyMax {
		return id, nil
	}
	sum := sha256.Sum256([]byte(id))
	return plain[:min(len(plain), keyMax)] + "-" + hex.EncodeToString(sum[:8]), nil
}

func plainRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9',
		r == '.', r == '_', r == '-':
		return r
	}
	return '_'
}
