package system

import (
	"runtime"
	"slices"
)

// files are the files to try, by the name of a library, the preferred first. The
// loader of the system looks for those without a directory.
var files = filesOf(runtime.GOOS)

func filesOf(system string) map[string][]string {
	out := map[string][]string{}
	switch system {
	case "darwin":
		out["accelerate"] = []string{"/System/Library/Frameworks/Accelerate.framework/Accelerate"}
		for _, l := range []struct{ name, file string }{{"openblas", "libopenblas"}, {"mkl", "libmkl_rt.2"}, {"blis", "libblis"}} {
			for _, dir := range []string{"", "/opt/homebrew/opt/" + l.name + "/lib/", "/usr/local/opt/" + l.name + "/lib/", "/opt/intel/oneapi/mkl/latest/lib/"} {
				out[l.name] = append(out[l.name], dir+l.file+".dylib")
			}
		}
	case "windows":
		out["openblas"] = []string{"libopenblas.dll", "openblas.dll"}
		out["mkl"] = []string{"mkl_rt.3.dll", "mkl_rt.2.dll", "mkl_rt.1.dll"}
		out["blis"] = []string{"libblis.4.dll", "AOCL-LibBlis-Win-MT-dll.dll"}
	default:
		out["openblas"] = []string{"libopenblas.so.0", "libopenblas.so"}
		out["mkl"] = []string{"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"}
		out["blis"] = []string{"libblis.so.4", "libblis.so.3", "libblis-mt.so.4", "libblis.so"}
	}
	out["system"] = slices.Concat(out["accelerate"], out["mkl"], out["openblas"], out["blis"])
	if system != "darwin" && system != "windows" {
		out["system"] = append(out["system"], "libcblas.so.3", "libblas.so.3") // what the distribution has chosen
	}
	return out
}
