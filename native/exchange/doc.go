// Package exchange reads and writes cards as other programs and other boards
// tell them.
//
// # Lines
//
// One card a line, with the keys of a card file: what an export writes and an
// import reads back. An array of cards, as a listing prints it, is read as well.
// Keys that nobody here knows travel along.
//
// # Other tools
//
// Read takes the export of another tool. Each of its records gets an id that
// depends on nothing but the record's own, so that reading it again finds the
// same card. An export of JSON is one array, or objects in a row. What board.Record says of foreign records holds: they add, and
// what they do not know stays.
//
//	github-json   `gh issue list --state all --json number,title,body,state,stateReason,labels,assignees,author,url,createdAt,comments`
//	              id        from the url, else from --project and the number
//	              title body labels comments created_at   as they are
//	              assignee  the first of them
//	              state     OPEN: open; CLOSED, MERGED: closed; closed as not planned: abandoned
//	taskwarrior   `task export`
//	              id        the task's own uuid
//	              title     description
//	              labels    tags, and project:NAME
//	              priority  H 3, M 2, L 1
//	              blockers  depends, except on deleted tasks
//	              comments  annotations
//	              fields    due, where the board has a date field of that name
//	              created_at entry
//	              state     pending, waiting: open; with a start: started; completed: closed
//	              Deleted tasks and the templates of recurring ones are passed over.
//	backlog-md    a folder: the project's, its backlog folder, or one of task files
//	              id        from the task's id and --project
//	              title labels created_date   as they are; the body is the text
//	              assignee  the first of them, without its @
//	              priority  high 3, medium 2, low 1
//	              blockers  dependencies
//	              parent    parent_task_id
//	              state     by name; Done: closed
//	              Drafts and archived tasks are passed over.
//
// A state becomes a column in this order: the one that --map names for it; for
// a closed record done, else the first terminal column; for an abandoned one
// blocked, else as if closed; else the column of the same name (To Do: to_do),
// unless the dispatcher would start the card from there; else the first column.
package exchange
