// Package tools has nothing: its module names the tools of the project, and has the
// command typecheck. Run the tools as
//
//	go tool -modfile=tools/go.mod staticcheck ./...
package tools
