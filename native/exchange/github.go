package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"iterion/native/board"
)

// githubIssue has the keys of `gh issue list --json` that become something.
type githubIssue struct {
	Number      int
	Title       string
	Body        string
	State       string
	StateReason string
	URL         string
	CreatedAt   time.Time
	Author      githubUser
	Assignees   []githubUser
	Labels      []struct{ Name string }
	Comments    []struct {
		ID        string
		Author    githubUser
		Body      string
		CreatedAt time.Time
	}
}

type githubUser struct{ Login string }

func readGitHub(in io.Reader, o Options) (Result, error) {
	raw, err := elements(in)
	if err != nil {
		return Result{}, err
	}
	var res Result
	for n, data := range raw {
		item := Item{Where: fmt.Sprintf("issue %d of the file", n+1)}
		var g githubIssue
		if err := json.Unmarshal(data, &g); err != nil {
			item.Err = invalid(err)
		} else {
			item.Where = cmp.Or(g.URL, item.Where)
			item.Record, item.Err = g.record(o)
		}
		res.Items = append(res.Items, item)
	}
	return res, nil
}

func (g githubIssue) record(o Options) (board.Record, error) {
	id, repo, err := g.identity(o)
	if err != nil {
		return board.Record{}, err
	}
	state := strings.ToLower(g.State)
	i := board.Issue{
		ID: id, Title: oneLine(g.Title), Body: text(g.Body), State: o.column(state, g.kind()), CreatedAt: g.CreatedAt.UTC(),
		External: &board.External{Provider: "github", Repo: repo, Number: g.Number, URL: g.URL, State: state, Author: g.Author.Login},
	}
	for _, l := range g.Labels {
		i.Labels = append(i.Labels, l.Name)
	}
	if len(g.Assignees) > 0 {
		i.Assignee = g.Assignees[0].Login
	}
	for n, c := range g.Comments {
		i.Comments = append(i.Comments, board.Comment{
			ID: cmp.Or(c.ID, keyOf(id, "comment", strconv.Itoa(n))), Author: c.Author.Login, Body: text(c.Body), CreatedAt: c.CreatedAt.UTC(),
		})
	}
	return board.Record{Issue: i, Foreign: true}, nil
}

func (g githubIssue) kind() kind {
	switch {
	case strings.EqualFold(g.State, "closed") && strings.EqualFold(g.StateReason, "not_planned"):
		return abandoned
	case strings.EqualFold(g.State, "closed"), strings.EqualFold(g.State, "merged"):
		return closed
	}
	return open
}

// identity is the id of the card and the name of the repository.
func (g githubIssue) identity(o Options) (id, repo string, err error) {
	if u, err := url.Parse(g.URL); err == nil && u.Host != "" {
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		return idOf(strings.ToLower(g.URL)), strings.Join(parts[:min(2, len(parts))], "/"), nil
	}
	if g.Number > 0 && o.Project != "" {
		return idOf(githubJSON, strings.ToLower(o.Project), strconv.Itoa(g.Number)), o.Project, nil
	}
	return "", "", invalid(errors.New("the issue has no url: name url among the fields of `gh issue list --json`"))
}
