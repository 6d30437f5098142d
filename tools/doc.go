// Package tools has nothing: its module names the tools of the project. Run them as
//
//	go tool -modfile=tools/go.mod staticcheck ./...
package tools
