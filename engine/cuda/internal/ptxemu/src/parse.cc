// Reads PTX. Only what NVRTC makes of the library's kernels is known: modules of
// kernels without functions. Everything else is an error that names the text.

#include <ctype.h>
#include <stdlib.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "ptx.h"

namespace ptx {
namespace {

typedef std::vector<std::string> Words;

const std::map<std::string, Type> types = {{"b8", B8}, {"u8", U8}, {"s8", S8}, {"b16", B16}, {"u16", U16}, {"s16", S16}, {"b32", B32}, {"u32", U32}, {"s32", S32}, {"b64", B64}, {"u64", U64}, {"s64", S64},
  {"f16", F16}, {"bf16", BF16}, {"f16x2", F16X2}, {"bf16x2", BF16X2}, {"f32", F32}, {"f64", F64}, {"pred", PRED}};

const std::map<std::string, int> specials = {{"%tid.x", TID}, {"%tid.y", TID + 1}, {"%tid.z", TID + 2}, {"%ntid.x", NTID}, {"%ntid.y", NTID + 1}, {"%ntid.z", NTID + 2},
  {"%ctaid.x", CTAID}, {"%ctaid.y", CTAID + 1}, {"%ctaid.z", CTAID + 2}, {"%nctaid.x", NCTAID}, {"%nctaid.y", NCTAID + 1}, {"%nctaid.z", NCTAID + 2}, {"%laneid", LANEID}, {"%warpid", WARPID},
  {"%lanemask_eq", LANEMASK_EQ}, {"%lanemask_lt", LANEMASK_LT}, {"%lanemask_le", LANEMASK_LE}, {"%lanemask_gt", LANEMASK_GT}, {"%lanemask_ge", LANEMASK_GE}};

[[noreturn]] void fail(const std::string &what) { throw std::runtime_error("PTX: " + what); }

u32 roundUp(u32 n, u32 to) { return (n + to - 1) / to * to; }

std::string trim(const std::string &s) {
  size_t a = 0, b = s.size();
  while (a < b && isspace(u8(s[a]))) a++;
  while (b > a && isspace(u8(s[b - 1]))) b--;
  return s.substr(a, b - a);
}

// split cuts at a separator that is not in brackets, and at white space if the
// separator is a space. Parts are trimmed, and empty ones left out.
Words split(const std::string &s, char separator) {
  Words out;
  std::string part;
  int depth = 0;
  auto end = [&] {
    part = trim(part);
    if (!part.empty()) out.push_back(part);
    part.clear();
  };
  for (char c : s) {
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    if (depth == 0 && (c == separator || (separator == ' ' && isspace(u8(c))))) end();
    else part += c;
  }
  end();
  return out;
}

// A Declaration is one of variables, registers or parameters.
struct Declaration {
  std::string space, name;  // space is global, shared, const, local, param or reg
  Type type = B8;
  u32 align = 0;
  u64 count = 1;            // elements
  bool unsized = false;     // of dynamic shared memory
  std::string init;
  u64 bytes() const { return count * bytesOf(type); }
};

Declaration declaration(std::string text) {
  Declaration d;
  const size_t equals = text.find('=');
  if (equals != std::string::npos) {
    d.init = text.substr(equals + 1);
    text.resize(equals);
  }
  const Words words = split(text, ' ');
  for (size_t i = 0; i < words.size(); i++) {
    const std::string &w = words[i];
    if (w == ".align" && i + 1 < words.size()) {
      d.align = u32(atoi(words[++i].c_str()));
    } else if (w == ".global" || w == ".shared" || w == ".const" || w == ".local" || w == ".param" || w == ".reg") {
      d.space = w.substr(1);
    } else if (w[0] == '.' && types.count(w.substr(1))) {
      d.type = types.at(w.substr(1));
    } else if (w[0] != '.') {
      d.name += w;
    } else if (w != ".visible" && w != ".extern" && w != ".weak") {
      fail("a declaration with " + w + ": " + text);
    }
  }
  const size_t bracket = d.name.find('[');
  if (bracket != std::string::npos) {
    d.count = strtoull(d.name.c_str() + bracket + 1, nullptr, 0);
    d.unsized = d.name[bracket + 1] == ']';
    d.name.resize(bracket);
  }
  if (d.align == 0) d.align = bytesOf(d.type);
  return d;
}

// number reads a literal. Those of floats are given by their bits.
u64 number(const std::string &s) {
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'f' || s[1] == 'F' || s[1] == 'd' || s[1] == 'D')) return strtoull(s.c_str() + 2, nullptr, 16);
  char *end;
  const u64 x = s[0] == '-' ? u64(strtoll(s.c_str(), &end, 0)) : strtoull(s.c_str(), &end, 0);
  if (*end && strcmp(end, "U") != 0) fail("the number " + s);
  return x;
}

class Parser {
 public:
  Parser(const std::string &text, Module &module) : s(text), m(module) {}
  void parse();

 private:
  struct Register {
    u32 slot;
    u64 mask;
  };

  void skip();
  std::string until(char end);
  bool starts(const char *word) const { return s.compare(at, strlen(word), word) == 0; }
  void global(const Declaration &d);
  void entry();
  void parameters(const std::string &list);
  void body();
  void local(const Declaration &d);
  void registers(const Declaration &d);
  const Register *find(const std::string &name) const;
  u32 constant(u64 value);
  u32 operand(const std::string &text, u64 *mask = nullptr);
  void address(Ins &i, const std::string &text);
  void list(Ins &i, const std::string &text, Type type);
  void results(Ins &i, const std::string &text);
  void access(Ins &i, Name &n, const Words &operands);
  bool communicate(Ins &i, Name &n, const Words &operands);
  void registersOnly(Ins &i, Name &n, const Words &operands, const std::string &text);
  void instruction(std::string text);

  const std::string &s;
  size_t at = 0;
  Module &m;
  std::map<std::string, Declaration> moduleShared;  // that kernels get when they use it
  std::set<std::string> dynamicShared;

  // Of the kernel that is read.
  Kernel *k = nullptr;
  std::vector<std::map<std::string, Register>> scopes;
  std::map<std::string, u64> symbols;  // parameters, and shared and local memory
  std::map<std::string, u32> labels, special;
  std::map<u64, u32> constants;
  std::vector<std::pair<u32, std::string>> branches;  // instruction, label
  u32 dynamicSlot = noSlot;  // has the address of dynamic shared memory
  u32 line = 0;
};

// skip passes white space, comments, and directives that end with their line.
void Parser::skip() {
  for (;;) {
    while (at < s.size() && isspace(u8(s[at]))) at++;
    if (starts(".loc") && isspace(u8(s[at + 4]))) sscanf(s.c_str() + at, ".loc %*d %u", &line);
    if (starts("//") || starts(".loc ") || starts(".loc\t") || starts(".file") || starts(".version") || starts(".target") || starts(".address_size")) {
      at = std::min(s.find('\n', at), s.size());
    } else if (starts(".section")) {
      at = s.find('}', at);
      if (at == std::string::npos) fail("a section without an end");
      at++;
    } else {
      return;
    }
  }
}

std::string Parser::until(char end) {
  const size_t e = s.find(end, at);
  if (e == std::string::npos) fail("the text ends where " + std::string(1, end) + " is expected");
  std::string out = s.substr(at, e - at);
  at = e + 1;
  return out;
}

void Parser::parse() {
  for (skip(); at < s.size(); skip()) {
    const std::string head = s.substr(at, s.find_first_of(";({=", at) - at);
    if (head.find(".func") != std::string::npos) fail("a function: " + head);
    if (head.find(".entry") != std::string::npos) entry();
    else global(declaration(until(';')));
  }
}

void Parser::global(const Declaration &d) {
  if (d.space == "shared") {
    if (d.unsized) dynamicShared.insert(d.name);
    else moduleShared[d.name] = d;
    return;
  }
  if (d.space != "global" && d.space != "const") fail("a variable of the module in the space " + d.space);
  const u64 alignment = 256;
  m.memory.emplace_back(new u8[d.bytes() + alignment]());
  u8 *p = (u8 *)((u64(m.memory.back().get()) + alignment - 1) / alignment * alignment);
  m.globals[d.name] = {p, d.bytes()};
  std::string values = d.init;
  std::replace_if(values.begin(), values.end(), [](char c) { return c == '{' || c == '}'; }, ' ');
  u64 offset = 0;
  for (const std::string &v : split(values, ',')) {
    if (offset + bytesOf(d.type) > d.bytes()) fail("too many values of " + d.name);
    const u64 x = number(v);
    memcpy(p + offset, &x, bytesOf(d.type));
    offset += bytesOf(d.type);
  }
}

void Parser::entry() {
  const std::string name = split(until('('), ' ').back();
  m.kernels[name].reset(new Kernel);
  k = m.kernels[name].get();
  k->name = name;
  scopes.assign(1, {});
  symbols.clear(), labels.clear(), special.clear(), constants.clear(), branches.clear();
  dynamicSlot = noSlot;
  parameters(until(')'));
  const std::string attributes = until('{');
  const size_t most = attributes.find(".maxntid");
  if (most != std::string::npos) {
    k->maxThreads = 1;
    for (const std::string &n : split(attributes.substr(most + 8, attributes.find('.', most + 1) - most - 8), ',')) k->maxThreads *= u32(atoi(n.c_str()));
  }
  body();
  for (auto &b : branches) {
    auto l = labels.find(b.second);
    if (l == labels.end()) fail("no label " + b.second);
    k->code[b.first].target = l->second;
  }
  // Dynamic shared memory follows the rest, whose size is known only now.
  k->shared = roundUp(k->shared, 16);
  if (dynamicSlot != noSlot) k->constants.push_back({dynamicSlot, sharedBase + k->shared});
}

void Parser::parameters(const std::string &text) {
  for (const std::string &one : split(text, ',')) {
    const Declaration d = declaration(one);
    k->params = roundUp(k->params, d.align);
    symbols[d.name] = k->params;
    k->params += u32(d.bytes());
  }
}

void Parser::body() {
  for (;;) {
    skip();
    if (at >= s.size()) fail("a kernel without an end");
    if (s[at] == '}') {
      at++;
      scopes.pop_back();
      if (scopes.empty()) break;
    } else if (s[at] == '{') {
      at++;
      scopes.push_back({});
    } else if (starts(".pragma")) {
      until(';');
    } else if (s[at] == '.') {
      const Declaration d = declaration(until(';'));
      if (d.space == "reg") registers(d);
      else local(d);
    } else {
      const size_t end = s.find_first_of(":;{ \t\n", at);
      if (end != std::string::npos && s[end] == ':') {
        labels[s.substr(at, end - at)] = u32(k->code.size());
        at = end + 1;
      } else {
        instruction(trim(until(';')));
      }
    }
  }
  Ins end;
  end.kind = EXIT;
  k->code.push_back(end);
  k->texts.push_back("the end of the kernel");
}

// local allots local and shared variables of the kernel.
void Parser::local(const Declaration &d) {
  if (d.space == "shared") {
    k->shared = roundUp(k->shared, d.align);
    symbols[d.name] = sharedBase + k->shared;
    k->shared += u32(d.bytes());
  } else if (d.space == "local") {
    k->local = roundUp(k->local, 16);
    symbols[d.name] = localBase + k->local;
    k->local += u32(d.bytes());
  } else {
    fail("a variable of a kernel in the space " + d.space);
  }
}

// registers declares one register, several, or a numbered family: %r<12>.
void Parser::registers(const Declaration &d) {
  const u64 mask = d.type == PRED ? 1 : maskOf(bytesOf(d.type));
  for (const std::string &name : split(d.name, ',')) {
    const size_t bracket = name.find('<');
    if (bracket == std::string::npos) {
      scopes.back()[name] = Register{k->slots++, mask};
      continue;
    }
    const int count = atoi(name.c_str() + bracket + 1);
    for (int j = 0; j < count; j++) scopes.back()[name.substr(0, bracket) + std::to_string(j)] = Register{k->slots++, mask};
  }
}

const Parser::Register *Parser::find(const std::string &name) const {
  for (size_t i = scopes.size(); i-- > 0;) {
    auto r = scopes[i].find(name);
    if (r != scopes[i].end()) return &r->second;
  }
  return nullptr;
}

u32 Parser::constant(u64 value) {
  auto made = constants.insert({value, k->slots});
  if (made.second) k->constants.push_back({k->slots++, value});
  return made.first->second;
}

// operand returns the slot of an operand, and the bits of the register that it is.
u32 Parser::operand(const std::string &x, u64 *mask) {
  if (mask) *mask = ~u64(0);
  if (x.empty() || x[0] == '!') fail("the operand " + x);
  if (x == "_") return 0;
  if (const Register *r = find(x)) {
    if (mask) *mask = r->mask;
    return r->slot;
  }
  auto known = specials.find(x);
  if (known != specials.end()) {
    auto made = special.insert({x, k->slots});
    if (made.second) k->specials.push_back({k->slots++, Special(known->second)});
    return made.first->second;
  }
  if (isdigit(u8(x[0])) || x[0] == '-') return constant(number(x));
  auto symbol = symbols.find(x);
  if (symbol != symbols.end()) return constant(symbol->second);
  if (dynamicShared.count(x)) {
    if (dynamicSlot == noSlot) dynamicSlot = k->slots++;
    return dynamicSlot;
  }
  auto shared = moduleShared.find(x);
  if (shared != moduleShared.end()) {
    local(shared->second);
    return constant(symbols[x]);
  }
  auto global = m.globals.find(x);
  if (global != m.globals.end()) return constant(u64(global->second.first));
  fail("the operand " + x);
}

// address reads [BASE] or [BASE+OFFSET].
void Parser::address(Ins &i, const std::string &text) {
  if (text[0] != '[' || text.back() != ']') fail("the address " + text);
  const std::string inner = text.substr(1, text.size() - 2);
  const size_t plus = inner.find('+');
  if (plus != std::string::npos) i.offset = i64(number(trim(inner.substr(plus + 1))));
  i.a = operand(trim(inner.substr(0, plus)));
}

// list reads a register or a vector of them.
void Parser::list(Ins &i, const std::string &text, Type type) {
  const Words parts = text[0] == '{' ? split(text.substr(1, text.size() - 2), ',') : Words{text};
  if (parts.empty() || parts.size() > maxVector) fail("the vector " + text);
  i.count = u32(parts.size());
  i.bytes = bytesOf(type);
  for (u32 j = 0; j < i.count; j++) i.v[j] = operand(parts[j], &i.masks[j]);
}

// results reads a result, or two with a bar between.
void Parser::results(Ins &i, const std::string &text) {
  const size_t bar = text.find('|');
  if (bar != std::string::npos) i.d2 = operand(trim(text.substr(bar + 1)));
  i.d = operand(trim(text.substr(0, bar)), &i.mask);
}

void Parser::access(Ins &i, Name &n, const Words &operands) {
  i.kind = n.base == "ld" ? LOAD : STORE;
  n.take("nc");
  if (n.take("shared")) i.space = SHARED;
  else if (n.take("local")) i.space = LOCAL;
  else if (n.take("param")) i.space = PARAM;
  else if (!n.take("global") && !n.take("const")) fail("an access without a space");
  i.extend = isSigned(n.type());
  if (operands.size() != 2) fail("the operands of an access");
  address(i, operands[i.kind == LOAD ? 0 + 1 : 0]);
  list(i, operands[i.kind == LOAD ? 0 : 1], n.type());
  const u32 elements = n.take("v2") ? 2 : n.take("v4") ? 4 : n.take("v8") ? 8 : 1;
  if (elements != i.count) fail("the elements of a vector");
}

// communicate reads instructions that threads carry out together, and those that
// end them.
bool Parser::communicate(Ins &i, Name &n, const Words &operands) {
  const std::string &base = n.base;
  auto expect = [&](size_t count) { if (operands.size() != count) fail("the operands of " + base); };
  if (base == "bra") {
    expect(1);
    n.take("uni");
    i.kind = BRANCH;
    branches.push_back({u32(k->code.size()), operands[0]});
  } else if (base == "ret" || base == "exit") {
    i.kind = EXIT;
  } else if (base == "trap") {
    i.kind = TRAP;
  } else if ((base == "bar" || base == "barrier") && n.take("sync")) {
    if (n.take("warp")) {
      i.kind = WARP_BARRIER;
    } else {
      n.take("cta"), n.take("aligned");
      i.kind = BARRIER;
    }
    expect(1);
    i.a = operand(operands[0]);
    if (i.kind == BARRIER && i.a != constant(0)) fail("a barrier other than 0");
  } else if (base == "shfl" && n.take("sync")) {
    expect(5);
    i.kind = SHUFFLE;
    i.mode = n.take("up") ? SHUFFLE_UP : n.take("down") ? SHUFFLE_DOWN : n.take("bfly") ? SHUFFLE_XOR : SHUFFLE_INDEX;
    if (i.mode == SHUFFLE_INDEX && !n.take("idx")) fail("the mode of a shuffle");
    results(i, operands[0]);
    i.a = operand(operands[1]), i.b = operand(operands[2]), i.c = operand(operands[3]), i.e = operand(operands[4]);
  } else if (base == "vote" && n.take("sync")) {
    expect(3);
    i.kind = VOTE;
    i.mode = n.take("all") ? VOTE_ALL : n.take("any") ? VOTE_ANY : n.take("uni") ? VOTE_EQUAL : VOTE_BALLOT;
    if (i.mode == VOTE_BALLOT && !n.take("ballot")) fail("the mode of a vote");
    results(i, operands[0]);
    i.a = operand(operands[1]), i.e = operand(operands[2]);
  } else {
    return false;
  }
  return true;
}

// registersOnly reads all other instructions.
void Parser::registersOnly(Ins &i, Name &n, const Words &operands, const std::string &text) {
  if (operands.size() < 2) fail(text);
  const bool unpack = operands[0][0] == '{', pack = operands[1][0] == '{';
  if (n.base == "mov" && (unpack || pack)) n.base = unpack ? "unpack" : "pack";
  const int count = choose(n, i);
  const size_t inputs = count == 0 ? 1 : size_t(count);
  if (count < 0 || operands.size() != inputs + 1) fail("an instruction that the emulator does not have: " + text);
  if (unpack || pack) {
    const u32 whole = i.bytes;
    list(i, operands[unpack ? 0 : 1], n.type());
    i.bytes = whole / i.count;
  }
  if (!unpack) results(i, operands[0]);
  u32 *const to[] = {&i.a, &i.b, &i.c, &i.e};
  for (int j = 0; j < count; j++) *to[j] = operand(operands[size_t(j) + 1]);
}

void Parser::instruction(std::string text) {
  Ins i;
  i.line = line;
  k->texts.push_back(text);
  const std::string whole = text;
  if (text[0] == '@') {
    i.negated = text[1] == '!';
    const size_t begin = i.negated ? 2 : 1, end = text.find_first_of(" \t", begin);
    i.predicate = operand(text.substr(begin, end - begin));
    text = trim(text.substr(end));
  }
  const size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  Name n;
  for (const std::string &part : split(text.substr(0, end), '.')) {
    auto t = types.find(part);
    if (n.base.empty()) n.base = part;
    else if (t != types.end()) n.types.push_back(t->second);
    else n.modifiers.push_back(part);
  }
  const Words operands = split(text.substr(end), ',');
  try {
    if (n.base == "ld" || n.base == "st") access(i, n, operands);
    else if (!communicate(i, n, operands)) registersOnly(i, n, operands, whole);
  } catch (std::runtime_error &e) {
    fail(std::string(e.what()) + " in " + whole);
  }
  if (!n.modifiers.empty()) fail("the modifier ." + n.modifiers[0] + " in " + whole);
  k->code.push_back(i);
}

}  // namespace

std::unique_ptr<Module> parse(const std::string &text) {
  std::unique_ptr<Module> m(new Module);
  Parser(text, *m).parse();
  return m;
}

}  // namespace ptx
