//go:build !((linux && (amd64 || arm64) && !android && !faketime) || (windows && amd64))

package dl

const supported = false

func open(string, bool) (Handle, error) { return 0, ErrPlatform }

func symbol(Handle, string) (uintptr, error) { return 0, ErrPlatform }

// Call cannot be reached where no library can be opened.
//
//go:uintptrescapes
func Call(uintptr, ...uintptr) int32 { panic(ErrPlatform) }

// Call4 cannot be reached where no library can be opened.
//
//go:uintptrescapes
func Call4(_, _, _, _, _ uintptr) int32 { panic(ErrPlatform) }

func callPointer(uintptr, uintptr) *byte { panic(ErrPlatform) }
