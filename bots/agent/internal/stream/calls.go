package stream

// maxCalls bounds how many calls are remembered; of more than these the results
// are told without a name.
const maxCalls = 256

// Calls remembers the tool calls that have no result yet, by their id.
type Calls map[string]string

// Open takes a call, as Call wrote it, and reports whether it is a new one.
func (c Calls) Open(id, call string) bool {
	if _, known := c[id]; known {
		return false
	}
	if id != "" && len(c) < maxCalls {
		c[id] = call
	}
	return true
}

// Close takes the id of a result and returns its call, "tool" when it is not known.
func (c Calls) Close(id string) string {
	call, known := c[id]
	if !known {
		return "tool"
	}
	delete(c, id)
	return call
}
