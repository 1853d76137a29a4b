package board

// Every part of a record keeps its own unknown keys, so each has the pair of
// methods below. They differ in nothing but the instants that they bring to UTC
// and the lists that the format writes as [] when they are empty.

// MarshalJSON writes the unknown keys back.
func (x RunRef) MarshalJSON() ([]byte, error) {
	return encode(plainRunRef(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *RunRef) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainRunRef)(x))
	x.Extra = extra
	x.At = utc(x.At)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x GaveUp) MarshalJSON() ([]byte, error) {
	return encode(plainGaveUp(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *GaveUp) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainGaveUp)(x))
	x.Extra = extra
	x.At = utc(x.At)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x LaunchRefusal) MarshalJSON() ([]byte, error) {
	return encode(plainLaunchRefusal(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *LaunchRefusal) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainLaunchRefusal)(x))
	x.Extra = extra
	x.LastAt = utc(x.LastAt)
	x.NotBefore = utc(x.NotBefore)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x Comment) MarshalJSON() ([]byte, error) {
	return encode(plainComment(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *Comment) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainComment)(x))
	x.Extra = extra
	x.CreatedAt = utc(x.CreatedAt)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x External) MarshalJSON() ([]byte, error) {
	return encode(plainExternal(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *External) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainExternal)(x))
	x.Extra = extra
	return err
}

// MarshalJSON writes the unknown keys back.
func (x ExternalProject) MarshalJSON() ([]byte, error) {
	return encode(plainProject(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *ExternalProject) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainProject)(x))
	x.Extra = extra
	x.StatusAt = utc(x.StatusAt)
	x.StateAt = utc(x.StateAt)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x Schema) MarshalJSON() ([]byte, error) {
	x.States, x.Fields, x.Views = list(x.States), list(x.Fields), list(x.Views)
	return encode(plainSchema(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *Schema) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainSchema)(x))
	x.Extra = extra
	x.UpdatedAt = utc(x.UpdatedAt)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x State) MarshalJSON() ([]byte, error) {
	return encode(plainState(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *State) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainState)(x))
	x.Extra = extra
	return err
}

// MarshalJSON writes the unknown keys back.
func (x Field) MarshalJSON() ([]byte, error) {
	x.EnumValues = list(x.EnumValues)
	return encode(plainField(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *Field) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainField)(x))
	x.Extra = extra
	return err
}

// MarshalJSON writes the unknown keys back.
func (x View) MarshalJSON() ([]byte, error) {
	x.Labels = list(x.Labels)
	return encode(plainView(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *View) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainView)(x))
	x.Extra = extra
	return err
}

// MarshalJSON writes the unknown keys back.
func (x Event) MarshalJSON() ([]byte, error) {
	return encode(plainEvent(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *Event) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainEvent)(x))
	x.Extra = extra
	x.Timestamp = utc(x.Timestamp)
	return err
}

// MarshalJSON writes the unknown keys back.
func (x Payload) MarshalJSON() ([]byte, error) {
	return encode(plainPayload(x), x.Extra)
}

// UnmarshalJSON keeps the unknown keys.
func (x *Payload) UnmarshalJSON(data []byte) error {
	extra, err := decode(data, (*plainPayload)(x))
	x.Extra = extra
	if x.NotBefore != nil {
		*x.NotBefore = utc(*x.NotBefore)
	}
	return err
}

// list makes a missing list an empty one.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
