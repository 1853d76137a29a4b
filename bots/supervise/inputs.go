package supervise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"iterion/native/run"
)

// shownVar is how much of a longer value than maxVar the record holds: it is
// written many times in the life of a run and read by everyone who lists runs.
const shownVar = 1 << 10

// cutMark ends a value of which the record holds the beginning.
const cutMark = " in all; the rest is in " + run.VarsFile + "]"

// noted is what the record holds of the vars of a launch.
func noted(vars map[string]string) map[string]string {
	if vars == nil {
		return nil
	}
	short := make(map[string]string, len(vars))
	for name, value := range vars {
		if len(value) > maxVar {
			n := shownVar
			for n > 0 && !utf8.RuneStart(value[n]) {
				n--
			}
			value = fmt.Sprintf("%s… [%d bytes%s", value[:n], len(value), cutMark)
		}
		short[name] = value
	}
	return short
}

// vars returns the bot's vars whole.
func (s *supervisor) vars() (map[string]string, error) {
	cut := false
	for _, value := range s.rec.Inputs {
		cut = cut || strings.HasSuffix(value, cutMark)
	}
	if !cut {
		return s.rec.Inputs, nil
	}
	var vars map[string]string
	data, err := os.ReadFile(filepath.Join(s.dir, run.VarsFile))
	if err == nil {
		err = json.Unmarshal(data, &vars)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", run.VarsFile, err)
	}
	return vars, nil
}
