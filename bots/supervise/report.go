package supervise

import (
	"bytes"
	"encoding/json"
	"time"
)

// report is one line in which a bot speaks of itself.
type report struct {
	Type string `json:"type"`

	// progress
	Text    string   `json:"text"`
	Percent *float64 `json:"percent"`

	// output
	Data map[string]json.RawMessage `json:"data"`

	// cost: more by so much, or the total of the run. Tokens are meant as the
	// dollars beside them are, unless they say themselves that they are totals.
	USD            float64  `json:"usd"`
	TotalUSD       *float64 `json:"total_usd"`
	TokensIn       float64  `json:"tokens_in"`
	TokensOut      float64  `json:"tokens_out"`
	TotalTokensIn  float64  `json:"total_tokens_in"`
	TotalTokensOut float64  `json:"total_tokens_out"`

	// ask
	Questions json.RawMessage `json:"questions"`

	// fail
	Class   string `json:"class"`
	Code    string `json:"code"`
	Message string `json:"message"`
	RetryAt string `json:"retry_at"` // RFC 3339

	notBefore time.Time
}

// The types of a report.
const (
	typeProgress = "progress"
	typeCost     = "cost"
	typeOutput   = "output"
	typeAsk      = "ask"
	typeFail     = "fail"
)

// readReport reads one line. A line that is no JSON object with a type is no
// report and has an empty type. An error means that it claims to be one and
// cannot be read; the type is there then.
func readReport(line []byte) (report, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return report{}, nil
	}
	var r report
	err := json.Unmarshal(line, &r)
	if err == nil {
		return r, nil
	}
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(line, &head) != nil {
		return report{}, nil
	}
	switch head.Type {
	case typeProgress, typeCost, typeOutput, typeAsk, typeFail:
		return report{Type: head.Type}, err
	}
	return report{Type: head.Type}, nil
}

func within(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	p := min(max(*percent, 0), 100)
	return &p
}
