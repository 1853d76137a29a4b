package daemon

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// expositionType names the text format of Prometheus.
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

// exposition is a page of metrics in the text format of Prometheus. Prometheus' own
// library would make every start of the program slower, for a format of three kinds
// of lines.
type exposition struct{ b bytes.Buffer }

func (x *exposition) bytes() []byte { return x.b.Bytes() }

// family begins a metric; its samples follow.
func (x *exposition) family(name, kind, help string) {
	x.line("# HELP ", name, " ", strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help))
	x.line("# TYPE ", name, " ", kind)
}

// sample is one value of a metric; labels are pairs of name and value.
func (x *exposition) sample(name string, value float64, labels ...string) {
	x.line(name, braced(labels), " ", strconv.FormatFloat(value, 'g', -1, 64))
}

// gauge is a metric with one value.
func (x *exposition) gauge(name, help string, value float64, labels ...string) {
	x.family(name, "gauge", help)
	x.sample(name, value, labels...)
}

// summary is a metric of which only the sum and the count are told.
func (x *exposition) summary(name, help string, sum, count float64) {
	x.family(name, "summary", help)
	x.sample(name+"_sum", sum)
	x.sample(name+"_count", count)
}

func (x *exposition) line(parts ...string) {
	for _, p := range parts {
		x.b.WriteString(p)
	}
	x.b.WriteByte('\n')
}

func braced(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	var pairs []string
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escape.Replace(labels[i+1])+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
