package exchange

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"iterion/native/board"
)

// task has the keys of `task export` that become something.
type task struct {
	UUID        string
	Description string
	Status      string
	Entry       string
	Start       string
	Due         string
	Priority    string
	Project     string
	Tags        []string
	Depends     uuidList
	Annotations []struct{ Entry, Description string }
}

// uuidList is an array or, as older versions write it, one text with commas.
type uuidList []string

func (l *uuidList) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*l = strings.FieldsFunc(one, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

func readTaskwarrior(in io.Reader, o Options) (Result, error) {
	raw, err := elements(in)
	if err != nil {
		return Result{}, err
	}
	tasks, errs := make([]task, len(raw)), make([]error, len(raw))
	gone := map[string]bool{}
	for n, data := range raw {
		errs[n] = json.Unmarshal(data, &tasks[n])
		if tasks[n].Status == "deleted" {
			gone[strings.ToLower(tasks[n].UUID)] = true
		}
	}
	var res Result
	for n, t := range tasks {
		switch {
		case errs[n] != nil:
			res.Items = append(res.Items, Item{Where: fmt.Sprintf("task %d of the file", n+1), Err: invalid(errs[n])})
		case t.Status == "deleted", t.Status == "recurring":
			res.skip(t.Status)
		default:
			rec, err := t.record(o, gone, &res)
			res.Items = append(res.Items, Item{Where: fmt.Sprintf("task %d of the file", n+1), Record: rec, Err: invalid(err)})
		}
	}
	return res, nil
}

func (t task) record(o Options, gone map[string]bool, res *Result) (board.Record, error) {
	id, err := taskID(t.UUID)
	if err != nil {
		return board.Record{}, err
	}
	created, err := taskTime(t.Entry)
	if err != nil {
		return board.Record{}, fmt.Errorf("entry: %w", err)
	}
	state, k := t.state()
	i := board.Issue{
		ID: id, Title: oneLine(t.Description), State: o.column(state, k), Labels: t.Tags, CreatedAt: created,
		Priority: map[string]int{"H": 3, "M": 2, "L": 1}[t.Priority],
		External: &board.External{Provider: taskwarrior, State: state},
	}
	if t.Project != "" {
		i.Labels = append(i.Labels, "project:"+t.Project)
	}
	for _, d := range t.Depends {
		blocker, err := taskID(d)
		if err != nil {
			return board.Record{}, fmt.Errorf("depends: %w", err)
		}
		if !gone[strings.ToLower(d)] {
			i.Blockers = append(i.Blockers, blocker)
		}
	}
	if err := t.annotate(&i); err != nil {
		return board.Record{}, err
	}
	err = t.due(o, &i, res)
	return board.Record{Issue: i, Foreign: true}, err
}

func (t task) state() (string, kind) {
	switch {
	case t.Status == "completed":
		return t.Status, closed
	case t.Start != "":
		return "started", started
	}
	return t.Status, open
}

func (t task) annotate(i *board.Issue) error {
	for _, a := range t.Annotations {
		at, err := taskTime(a.Entry)
		if err != nil {
			return fmt.Errorf("annotation: %w", err)
		}
		c := board.Comment{ID: keyOf(i.ID, a.Entry, a.Description), Author: taskwarrior, Body: text(a.Description), CreatedAt: at}
		i.Comments = append(i.Comments, c)
	}
	return nil
}

// due keeps a due date where the board has a field for it.
func (t task) due(o Options, i *board.Issue, res *Result) error {
	if t.Due == "" {
		return nil
	}
	at, err := taskTime(t.Due)
	if err != nil {
		return fmt.Errorf("due: %w", err)
	}
	if f, ok := o.Schema.Field("due"); ok && f.Type == board.FieldDate {
		i.Fields = map[string]any{"due": at.Format(time.RFC3339)}
	} else {
		res.skip("due date (the board has no date field `due`)")
	}
	return nil
}

func taskID(s string) (string, error) {
	u, err := uuid.Parse(s)
	if err != nil {
		return "", fmt.Errorf("the task's uuid %q: %w", s, err)
	}
	return "native:" + u.String(), nil
}

func taskTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse("20060102T150405Z", s)
	if err != nil {
		at, err = time.Parse(time.RFC3339, s)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time of taskwarrior's", s)
	}
	return at.UTC(), nil
}
