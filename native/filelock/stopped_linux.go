package filelock

import (
	"bytes"
	"fmt"
	"os"
)

// stopped reports whether a process of this host is suspended. The state letter
// is the first field behind the command name, which ends at the last ')'.
func stopped(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(data, ')')
	return i >= 0 && len(data) > i+2 && (data[i+2] == 'T' || data[i+2] == 't')
}
