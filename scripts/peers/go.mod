module github.com/oneloop/oneloop/scripts/peers

go 1.26.0

require github.com/oneloop/oneloop v0.0.0

require (
	golang.org/x/exp v0.0.0-20261014143641-f0251eb4aa3e // indirect
	golang.org/x/term v0.44.0 // indirect
)

require (
	github.com/ebitengine/purego v0.11.3
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/oneloop/oneloop => ../..
