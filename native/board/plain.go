package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// PlainJSON says what encoding/json has against a value in words that name no
// type of the program. Other errors stay as they are.
func PlainJSON(err error) error {
	var typed *json.UnmarshalTypeError
	var instant *time.ParseError
	switch {
	case errors.As(err, &typed) && typed.Field != "":
		return plain(err, "%s: want %s, found %s", typed.Field, kindName(typed.Type), typed.Value)
	case errors.As(err, &typed):
		return plain(err, "want %s, found %s", kindName(typed.Type), typed.Value)
	case errors.As(err, &instant):
		return plain(err, "%q is no instant such as 2026-11-30T09:00:00Z", instant.Value)
	}
	return err
}

// plainError is an error in other words.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

func plain(err error, format string, args ...any) error {
	return &plainError{fmt.Sprintf(format, args...), err}
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Pointer:
		return kindName(t.Elem())
	}
	return "a whole number"
}
