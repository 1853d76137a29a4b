package cli

import (
	"github.com/spf13/cobra"

	"iterion/daemon"
	"iterion/daemon/workspace"
	"iterion/native/board"
)

func newWorkspace(f *Factory) *cobra.Command {
	return group("workspace", "List and prune the folders that cards are worked in", newWorkspaceList(f), newWorkspacePrune(f))
}

func newWorkspaceList(f *Factory) *cobra.Command {
	var config string
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the cards' folders", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return runWorkspaceList(f, config) },
	}
	c.Flags().StringVar(&config, "config", "", "config `file` that names the workspace root")
	return c
}

func runWorkspaceList(f *Factory, config string) error {
	o, err := f.daemonOptions(config)
	if err != nil {
		return err
	}
	folders, err := daemon.Workspaces(o)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.PrintJSON(nonNil(folders))
	}
	printWorkspaces(f, folders)
	return nil
}

func printWorkspaces(f *Factory, folders []workspace.Folder) {
	if f.Global.Quiet {
		for _, w := range folders {
			f.Say("%s", w.Path)
		}
		return
	}
	if len(folders) == 0 {
		f.Talk("no card has a folder yet")
		return
	}
	t := Table{Head: []string{"ID", "USED", "RUN", "FOLDER"}}
	for _, w := range folders {
		id := "-"
		if w.IssueID != "" {
			id = board.ShortID(w.IssueID)
		}
		t.Row(id, instant(w.At), w.RunID, w.Path)
	}
	t.Print(f)
}
