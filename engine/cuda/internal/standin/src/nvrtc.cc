// A stand-in for NVRTC, for tests: it has g++ compile the source with shim.h into
// a library, and hands that out as the machine code.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace {

enum Result { success, outOfMemory, creation, invalidInput, invalidProgram, invalidOption, compilation };

struct Program {
  std::string source, log, image;
};

const int archs[] = {75, 80, 86, 89, 90, 100, 120};

std::string read(const std::string &path) {
  std::string s;
  if (FILE *f = fopen(path.c_str(), "rb")) {
    char b[1 << 16];
    for (size_t n; (n = fread(b, 1, sizeof b, f)) > 0;) s.append(b, n);
    fclose(f);
  }
  return s;
}

void write(const std::string &path, const std::string &s) {
  if (FILE *f = fopen(path.c_str(), "wb")) {
    fwrite(s.data(), 1, s.size(), f);
    fclose(f);
  }
}

// directory returns the directory of this library, in which the headers are too. It is absolute, because g++ looks
// up the names in a source from the directory of the source.
std::string directory() {
  Dl_info info;
  char *path = dladdr(archs, &info) ? realpath(info.dli_fname, nullptr) : nullptr;
  if (!path) abort();
  std::string file = path;
  free(path);
  return file.substr(0, file.rfind('/'));
}

// table ends a source with the kernels that it has: the names before the
// parameter lists of __global__ functions.
std::string table(const std::string &source) {
  std::string run, list;
  const std::string mark = "extern \"C\" __global__";
  for (size_t at = source.find(mark); at != std::string::npos; at = source.find(mark, at + 1)) {
    size_t end = source.find("(const __grid_constant__", at), begin = source.rfind(' ', end) + 1;
    std::string name = source.substr(begin, end - begin);
    run += "static void run_" + name + "(const void *a) { " + name + "(*(const args *)a); }\n";
    list += "{\"" + name + "\", run_" + name + ", sizeof(args)}, ";
  }
  return "\n#include \"" + directory() + "/module.h\"\n" + run + "extern \"C\" const StandinEntry standinEntries[] = {" + list + "{0, 0, 0}};\n";
}

bool known(const char *option) {
  for (int a : archs) {
    std::string n = std::to_string(a);
    if (option == "-arch=sm_" + n || option == "--gpu-architecture=sm_" + n) return true;
  }
  return strncmp(option, "-arch=", 6) != 0 && strncmp(option, "--gpu-architecture=", 19) != 0;
}

}  // namespace

extern "C" {

Result nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return success;
}

const char *nvrtcGetErrorString(Result r) {
  switch (r) {
    case success: return "NVRTC_SUCCESS";
    case invalidInput: return "NVRTC_ERROR_INVALID_INPUT";
    case invalidProgram: return "NVRTC_ERROR_INVALID_PROGRAM";
    case invalidOption: return "NVRTC_ERROR_INVALID_OPTION";
    case compilation: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR unknown";
  }
}

Result nvrtcGetNumSupportedArchs(int *n) {
  *n = sizeof archs / sizeof *archs;
  return success;
}

Result nvrtcGetSupportedArchs(int *list) {
  memcpy(list, archs, sizeof archs);
  return success;
}

Result nvrtcCreateProgram(Program **p, const char *source, const char *, int headers, const char *const *, const char *const *) {
  if (!p || !source || headers) return invalidInput;
  *p = new Program{source, "", ""};
  return success;
}

Result nvrtcDestroyProgram(Program **p) {
  if (!p || !*p) return invalidProgram;
  delete *p;
  *p = nullptr;
  return success;
}

Result nvrtcCompileProgram(Program *p, int n, const char *const *options) {
  for (int i = 0; i < n; i++) {
    if (!known(options[i])) {
      p->log = std::string("standin: no architecture for ") + options[i];
      return invalidOption;
    }
  }
  char dir[] = "/tmp/standin-XXXXXX";
  if (!mkdtemp(dir)) return outOfMemory;
  std::string at = dir, out = at + "/k.so", text = at + "/k.cc", log = at + "/log";
  write(text, "#include \"" + directory() + "/shim.h\"\n#line 1 \"kernel.cu\"\n" + p->source + table(p->source));
  std::string cmd = "g++ -O1 -std=c++17 -nostdinc++ -ffp-contract=off -w -fPIC -pipe -shared -nostartfiles " STANDIN_FLAGS " -o " + out + " " + text + " >" + log + " 2>&1";
  int rc = system(cmd.c_str());
  p->log = read(log);
  p->image = rc == 0 ? "STANDIN1" + std::string(8, 0) + read(out) : "";
  size_t size = p->image.size();
  if (rc == 0) memcpy(&p->image[8], &size, 8);
  for (const std::string &f : {out, text, log}) unlink(f.c_str());
  rmdir(dir);
  return rc == 0 ? success : compilation;
}

Result nvrtcGetCUBINSize(Program *p, size_t *n) {
  *n = p->image.size();
  return success;
}

Result nvrtcGetCUBIN(Program *p, char *b) {
  memcpy(b, p->image.data(), p->image.size());
  return success;
}

// The stand-in has no PTX.
Result nvrtcGetPTXSize(Program *, size_t *n) {
  *n = 1;
  return success;
}

Result nvrtcGetPTX(Program *, char *b) {
  *b = 0;
  return success;
}

Result nvrtcGetProgramLogSize(Program *p, size_t *n) {
  *n = p->log.size() + 1;
  return success;
}

Result nvrtcGetProgramLog(Program *p, char *b) {
  memcpy(b, p->log.c_str(), p->log.size() + 1);
  return success;
}

}  // extern "C"
