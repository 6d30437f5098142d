package dl

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/internal/lists"
)

// A Library says under which names a library goes and where it may be.
type Library struct {
	Name     string   // for messages: "libnvrtc"
	Env      string   // variable with the path of the file, or of its directory: nothing else is tried then
	Names    []string // as the system's loader knows them, the preferred first
	Pattern  string   // of file names, for filepath.Glob
	Packages []string // directories inside nvidia/ of Python's site-packages
	Extra    []string // directories beyond those of the toolkit, for filepath.Glob
	With     []string // patterns of files of the same directory to be opened before
}

// candidates lists the paths to try: the override alone; else the system's
// loader, CUDA_HOME and CUDA_PATH, the usual places of the toolkit, conda, and
// pip's packages. Looked are directories that hold none.
func (l *Library) candidates() (paths, looked []string) {
	if p := os.Getenv(l.Env); p != "" {
		if st, err := os.Stat(p); err != nil || !st.IsDir() {
			return []string{p}, nil
		}
		paths = l.in(p)
		if len(paths) == 0 {
			paths = []string{filepath.Join(p, l.Names[0])}
		}
		return paths, nil
	}
	paths = slices.Clone(l.Names)
	for _, dir := range l.directories() {
		found := l.in(dir)
		if len(found) == 0 {
			looked = append(looked, dir)
		}
		paths = lists.Union(paths, found)
	}
	return paths, looked
}

// in lists the files of a directory that may be the library, the newest version
// first; of links to one file, one.
func (l *Library) in(dir string) []string {
	all, _ := filepath.Glob(filepath.Join(dir, l.Pattern))
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(compareVersions(b, a), cmp.Compare(a, b)) })
	seen := map[string]bool{}
	var out []string
	for _, p := range all {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p
		}
		if !seen[real] {
			seen[real] = true
			out = append(out, p)
		}
	}
	return out
}

// companions are the files to be opened before the one at path, of all versions
// that are there: the library knows which it wants. The system's loader finds
// them itself if it finds the library.
func (l *Library) companions(path string) (out []string) {
	if filepath.Base(path) == path {
		return nil
	}
	for _, pattern := range l.With {
		all, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
		out = append(out, all...)
	}
	return out
}

func (l *Library) directories() []string {
	var globs []string
	for _, v := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if home := os.Getenv(v); home != "" {
			globs = append(globs, inToolkit(home)...)
		}
	}
	if runtime.GOOS != "windows" {
		globs = append(globs, inToolkit("/usr/local/cuda")...)
		globs = append(globs, inToolkit("/usr/local/cuda-*")...)
	}
	globs = append(globs, l.Extra...)
	if p := os.Getenv("CONDA_PREFIX"); p != "" {
		globs = append(globs, filepath.Join(p, "lib"), filepath.Join(p, "Library", "bin"))
	}
	if len(l.Packages) > 0 {
		for _, site := range sitePackages() {
			for _, p := range l.Packages {
				globs = append(globs, filepath.Join(site, "nvidia", p))
			}
		}
	}
	var dirs []string
	for _, g := range globs {
		found, _ := filepath.Glob(g)
		slices.SortFunc(found, func(a, b string) int { return compareVersions(b, a) })
		dirs = lists.Union(dirs, found)
	}
	return dirs
}

// inToolkit lists where an installation of the toolkit keeps libraries.
func inToolkit(home string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(home, "bin"), filepath.Join(home, "bin", "x64")}
	}
	return []string{filepath.Join(home, "lib64"), filepath.Join(home, "lib")}
}

// sitePackages lists patterns of the directories in which pip installs.
func sitePackages() (out []string) {
	under := func(root string) {
		out = append(out, filepath.Join(root, "lib", "python3*", "site-packages"), filepath.Join(root, "lib", "python3*", "dist-packages"),
			filepath.Join(root, "Lib", "site-packages"))
	}
	out = append(out, filepath.SplitList(os.Getenv("PYTHONPATH"))...)
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(v); p != "" {
			under(p)
		}
	}
	for _, root := range pythons() {
		under(root)
	}
	if home, err := os.UserHomeDir(); err == nil {
		under(filepath.Join(home, ".local"))
		under(filepath.Join(home, ".venv"))
		under(filepath.Join(home, ".pyenv", "versions", "*"))
	}
	if runtime.GOOS != "windows" {
		under("/usr/local")
		under("/usr")
		under("/opt/*")
		under("/opt/*/.venv")
		out = append(out, "/usr/lib/python3/dist-packages")
	}
	return out
}

// pythons lists the installations and virtual environments whose Python is on the
// PATH. The Python of an environment is a link to the Python of its installation.
func pythons() (roots []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range []string{"python3", "python", "python.exe"} {
			path := filepath.Join(dir, name)
			real, err := filepath.EvalSymlinks(path)
			if dir == "" || err != nil {
				continue
			}
			for _, p := range []string{path, real} {
				bin := filepath.Dir(p)
				roots = append(roots, filepath.Dir(bin))
				if runtime.GOOS == "windows" {
					roots = append(roots, bin)
				}
			}
		}
	}
	return roots
}

var digits = regexp.MustCompile(`\d+`)

// compareVersions compares paths by the numbers in them, as versions.
func compareVersions(a, b string) int {
	number := func(list []string, i int) int {
		if i >= len(list) {
			return -1
		}
		n, _ := strconv.Atoi(list[i])
		return n
	}
	x, y := digits.FindAllString(trimMachine(a), -1), digits.FindAllString(trimMachine(b), -1)
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(number(x, i), number(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

// trimMachine removes the numbers of a path that are no versions.
func trimMachine(path string) string {
	return strings.NewReplacer("lib64", "lib", "x86_64", "", "x64", "").Replace(path)
}
