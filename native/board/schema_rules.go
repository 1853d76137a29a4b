package board

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Validate refuses, as ErrInvalid, a board that could not be worked with.
func (s Schema) Validate() error {
	if len(s.States) == 0 {
		return fmt.Errorf("%w: a board needs at least one state", ErrInvalid)
	}
	if err := distinct("state", s.StateNames()); err != nil {
		return err
	}
	if err := distinct("field", s.FieldNames()); err != nil {
		return err
	}
	for _, st := range s.States {
		if st.Terminal && st.Eligible {
			return fmt.Errorf("%w: state %s is both terminal and eligible", ErrInvalid, st.Name)
		}
	}
	for _, f := range s.Fields {
		if err := f.validate(); err != nil {
			return err
		}
	}
	views := make([]string, len(s.Views))
	for i, v := range s.Views {
		views[i] = v.Name
		if err := (Query{Sort: v.Sort}).Check(); err != nil {
			return fmt.Errorf("view %s: %w", v.Name, err)
		}
	}
	return distinct("view", views)
}

func (f Field) validate() error {
	if !slices.Contains(fieldTypes(), f.Type) {
		return fmt.Errorf("field %s: %w", f.Name, unknownName("type", f.Type, fieldTypes()))
	}
	if f.Type == FieldEnum && len(f.EnumValues) == 0 {
		return fmt.Errorf("%w: field %s is an enum without values", ErrInvalid, f.Name)
	}
	if f.Type == FieldEnum {
		if err := distinct("value of field "+f.Name, f.EnumValues); err != nil {
			return err
		}
	}
	if f.Default == nil {
		return nil
	}
	if _, err := f.Value(f.Default); err != nil {
		return fmt.Errorf("default of %w", err)
	}
	return nil
}

// distinct refuses names that are blank, padded or repeated.
func distinct(what string, names []string) error {
	for i, n := range names {
		if n == "" || n != strings.TrimSpace(n) {
			return fmt.Errorf("%w: %s %d: %q is no name", ErrInvalid, what, i+1, n)
		}
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("%w: %s %q is there twice", ErrInvalid, what, n)
		}
	}
	return nil
}

// SchemaChange is what SetSchema does to the board.
type SchemaChange struct {
	Schema Schema
	Event  *Event // nil: nothing changes
}

// SetSchema replaces the board. held counts the cards in each column: a column
// that holds some cannot go away.
func (r Rules) SetSchema(next Schema, held map[string]int) (SchemaChange, error) {
	if err := next.Validate(); err != nil {
		return SchemaChange{}, fmt.Errorf("set board: %w", err)
	}
	if err := next.checkViews(); err != nil {
		return SchemaChange{}, fmt.Errorf("set board: %w", err)
	}
	for _, st := range r.Schema.States {
		if n := held[st.Name]; n > 0 && next.stateIndex(st.Name) < 0 {
			return SchemaChange{}, fmt.Errorf("set board: %w: state %s cannot go while it holds %d cards", ErrInvalid, st.Name, n)
		}
	}
	next.UpdatedAt = r.Schema.UpdatedAt
	if equalSchemas(next, r.Schema) {
		return SchemaChange{Schema: r.Schema}, nil
	}
	next.UpdatedAt = r.now()
	return SchemaChange{Schema: next, Event: r.event(EventBoardUpdated, "", Payload{})}, nil
}

// equalSchemas compares two boards as they are written.
func equalSchemas(a, b Schema) bool {
	x, errX := a.MarshalJSON()
	y, errY := b.MarshalJSON()
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}
