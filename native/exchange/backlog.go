package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"iterion/native/board"
)

// backlogTask has the keys of a task file that become something.
type backlogTask struct {
	ID           string `yaml:"id"`
	Title        string `yaml:"title"`
	Status       string `yaml:"status"`
	Assignee     list   `yaml:"assignee"`
	CreatedDate  string `yaml:"created_date"`
	Labels       list   `yaml:"labels"`
	Dependencies list   `yaml:"dependencies"`
	Parent       string `yaml:"parent_task_id"`
	Priority     string `yaml:"priority"`
}

// ReadFolder reads the export of a tool that is a folder.
func ReadFolder(tool, dir string, o Options) (Result, error) {
	if !TakesFolder(tool) {
		return Result{}, fmt.Errorf("%w: %s exports a file, not a folder", board.ErrInvalid, tool)
	}
	if err := o.check(); err != nil {
		return Result{}, err
	}
	files, err := taskFiles(dir)
	if err != nil {
		return Result{}, err
	}
	var res Result
	for _, name := range files {
		data, err := os.ReadFile(name)
		item := Item{Where: filepath.Base(name)}
		if err == nil {
			item.Record, err = readBacklogTask(string(data), o)
		}
		item.Err = invalid(err)
		res.Items = append(res.Items, item)
	}
	return res, nil
}

// taskFiles finds the task files below a project, its backlog folder, or a
// folder of task files.
func taskFiles(dir string) ([]string, error) {
	root := dir
	for _, sub := range []string{"backlog", ".backlog"} {
		if isDir(filepath.Join(dir, sub, "tasks")) {
			root = filepath.Join(dir, sub)
		}
	}
	dirs := []string{root}
	if isDir(filepath.Join(root, "tasks")) {
		dirs = []string{filepath.Join(root, "tasks"), filepath.Join(root, "completed")}
	}
	var files []string
	for n, d := range dirs {
		entries, err := os.ReadDir(d)
		if errors.Is(err, fs.ErrNotExist) && n > 0 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the folder of the tasks: %w", err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() && !strings.EqualFold(e.Name(), "readme.md") {
				files = append(files, filepath.Join(d, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: no task files in %s", board.ErrInvalid, dir)
	}
	slices.Sort(files)
	return files, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func readBacklogTask(doc string, o Options) (board.Record, error) {
	head, body, err := splitFrontMatter(doc)
	if err != nil {
		return board.Record{}, err
	}
	var t backlogTask
	if err := yaml.Unmarshal([]byte(head), &t); err != nil {
		return board.Record{}, yamlError(err)
	}
	if strings.TrimSpace(t.ID) == "" {
		return board.Record{}, fmt.Errorf("%w: the task has no id", board.ErrInvalid)
	}
	created, err := backlogDate(t.CreatedDate)
	if err != nil {
		return board.Record{}, err
	}
	i := board.Issue{
		ID: o.backlogID(t.ID), Title: oneLine(t.Title), Body: body, State: o.column(t.Status, backlogKind(t.Status)), Labels: t.Labels,
		Priority: map[string]int{"high": 3, "medium": 2, "low": 1}[strings.ToLower(t.Priority)], CreatedAt: created,
		External: &board.External{Provider: backlogMD, Repo: o.Project, Number: taskNumber(t.ID), State: t.Status},
	}
	if len(t.Assignee) > 0 {
		i.Assignee = strings.TrimPrefix(t.Assignee[0], "@")
	}
	if t.Parent != "" {
		i.ParentID = o.backlogID(t.Parent)
	}
	for _, d := range t.Dependencies {
		i.Blockers = append(i.Blockers, o.backlogID(d))
	}
	return board.Record{Issue: i, Foreign: true}, nil
}

func backlogKind(status string) kind {
	if strings.EqualFold(strings.TrimSpace(status), "done") {
		return closed
	}
	return open
}

func (o Options) backlogID(task string) string {
	return idOf(backlogMD, o.Project, strings.ToLower(strings.TrimSpace(task)))
}

// taskNumber is the 7 of task-7; a subtask has none of its own.
func taskNumber(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:])
	return n
}

func backlogDate(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", time.DateOnly, time.DateTime, time.RFC3339} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: created_date %q is no date", board.ErrInvalid, s)
}
