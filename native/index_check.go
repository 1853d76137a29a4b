package native

import "errors"

// CheckIndex tells what is wrong with the index of the cards; nil when nothing
// is, or when there is none. The store itself does without an index that it
// cannot use, and reads the card files.
func CheckIndex(l Layout) error {
	if there, err := exists(l.Index()); err != nil || !there {
		return err
	}
	var x indexFile
	entries := x.table(x.open(l.Index()))
	if x.File == nil {
		if there, err := exists(l.Index()); err != nil || !there {
			return err
		}
		return errors.New("it is damaged, or of another version")
	}
	defer x.close()
	in := window{file: x.File}
	for n := range entries {
		if _, err := in.bytes(&entries[n].content); err != nil {
			return err
		}
	}
	return nil
}
