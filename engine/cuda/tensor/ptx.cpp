// SPDX-License-Identifier: MIT
// Reads inline PTX and executes it, but for what touches memory. What it does not know ends the
// kernel when it is to be executed, and not before: a file may have much of it.
#include "ptx.h"
#include "../../core/emulation.h"

#include <cstring>
#include <map>
#include <string>

namespace emulation
{
namespace ptx
{
// ---- what is written --------------------------------------------------------------------------
enum opcode {
    MOVE,
    TO_SHARED, // a generic address
    TO_TF32,
    COMPARE,
    COPY_ASYNC,
    COMMIT,
    WAIT_GROUP,
    WAIT_ALL,
    LDMATRIX,
    MMA,
    LOAD,
    STORE,
    NOTHING,
    UNKNOWN,
};

// A register's number; or, below 0, one of these.
enum { IMMEDIATE = -1, LANE = -2, WARP_NUMBER = -3, LANEMASK_LT = -4 };
struct argument {
    int number;
    std::uint64_t value; // of an immediate; what is added to an address
};

struct instruction {
    opcode what;
    std::string name;                             // with its types
    std::vector<std::vector<argument>> arguments; // each of one part, or of some in braces
    int predicate;                                // a register, or -1
    bool negated;
    bool has(const char *part) const
    {
        return (name + '.').find(std::string(".") + part + '.') != std::string::npos;
    }
};

struct program {
    std::vector<instruction> all;
    std::map<std::string, int> registers; // beside the operands
};

static opcode opcode_of(const std::string &name)
{
    static const struct {
        const char *begin;
        opcode what;
    } known[] = {
        {"mov.", MOVE},
        {"cvta.to.shared.", TO_SHARED},
        {"cvta.to.global.", MOVE},
        {"cvt.u32.u64", MOVE},
        {"cvt.u64.u32", MOVE},
        {"cvt.rna.tf32.f32", TO_TF32},
        {"setp.", COMPARE},
        {"cp.async.ca.shared", COPY_ASYNC},
        {"cp.async.cg.shared", COPY_ASYNC},
        {"cp.async.commit_group", COMMIT},
        {"cp.async.wait_group", WAIT_GROUP},
        {"cp.async.wait_all", WAIT_ALL},
        {"ldmatrix.sync.aligned.", LDMATRIX},
        {"mma.sync.aligned.m16n8k", MMA},
        {"ld.global.", LOAD},
        {"ld.shared.", LOAD},
        {"st.global.", STORE},
        {"st.shared.", STORE},
        {"prefetch.", NOTHING},
    };
    for (auto &k : known)
        if (name.compare(0, strlen(k.begin), k.begin) == 0)
            return k.what;
    return UNKNOWN;
}

class reader
{
  public:
    reader(const char *text, program *to) : p(text), result(to)
    {
        take();
        while (!token.empty())
            read_statement();
    }

  private:
    static bool is_word(char c)
    {
        return isalnum(static_cast<unsigned char>(c)) || strchr("_.$%:", c) != nullptr;
    }

    void take() // the next token, "" at the end
    {
        while (*p != '\0' && (isspace(static_cast<unsigned char>(*p)) || strncmp(p, "//", 2) == 0 ||
                              strncmp(p, "/*", 2) == 0))
            if (strncmp(p, "/*", 2) == 0)
                p = strstr(p, "*/") != nullptr ? strstr(p, "*/") + 2 : p + strlen(p);
            else if (*p == '/')
                p += strcspn(p, "\n");
            else
                p++;
        const char *begin = p;
        while (*p != '\0' && is_word(*p))
            p++;
        if (p == begin && *p != '\0')
            p++;
        token.assign(begin, p);
        while (token.compare(0, 2, "%%") == 0)
            token.erase(0, 1);
    }

    argument read_argument()
    {
        argument a = {IMMEDIATE, 0};
        const std::string word = token;
        take();
        if (word.size() > 1 && word[0] == '%' && isdigit(static_cast<unsigned char>(word[1])))
            return {atoi(word.c_str() + 1), 0};
        if (word == "%laneid")
            return {LANE, 0};
        if (word == "%warpid")
            return {WARP_NUMBER, 0};
        if (word == "%lanemask_lt")
            return {LANEMASK_LT, 0};
        if (word == "-") {
            a.value = std::uint64_t(-strtoll(token.c_str(), nullptr, 0));
            take();
        } else if (isdigit(static_cast<unsigned char>(word[0]))) {
            a.value = strtoull(word.c_str(), nullptr, 0);
        } else {
            auto found = result->registers.find(word);
            a.number = found != result->registers.end() ? found->second : MAX_REGISTERS;
        }
        return a;
    }

    void read_statement()
    {
        instruction i = {UNKNOWN, "", {}, -1, false};
        if (token == "{" || token == "}" || token == ";") {
            take();
            return;
        }
        if (token == ".reg") {
            declare();
            return;
        }
        if (token == "@") {
            take();
            if ((i.negated = token == "!"))
                take();
            i.predicate = read_argument().number;
        }
        i.name = token;
        i.what = opcode_of(i.name);
        take();
        while (!token.empty() && token != ";") {
            std::vector<argument> parts;
            const bool several = token == "{" || token == "[";
            if (several)
                take();
            while (!token.empty() && token != ";" && token != "}" && token != "]") {
                parts.push_back(read_argument());
                if (token == "+") {
                    take();
                    parts.back().value += read_argument().value;
                }
                if (!several)
                    break;
                if (token == ",")
                    take();
            }
            if (token == "}" || token == "]")
                take();
            if (token == ",")
                take();
            i.arguments.push_back(parts);
        }
        result->all.push_back(i);
    }

    void declare()
    {
        for (take(); !token.empty() && token != ";"; take())
            if (token[0] != '.' && token != ",") {
                const int number = MAX_REGISTERS - 1 - int(result->registers.size());
                result->registers[token] = number;
            }
    }

    const char *p;
    program *result;
    std::string token;
};

code::code(const char *text)
{
    auto *read = new program; // for ever
    reader(text, read);
    instructions = read;
}

// ---- what is done -----------------------------------------------------------------------------
execution::execution(const code &what, place where, operand *all, unsigned n)
    : instructions(what.instructions), at(where), operands(all), count(n), at_instruction(0),
      loads(0), last(nullptr)
{
    for (unsigned i = 0; i < n && i < MAX_REGISTERS; i++)
        registers[i] = all[i].value;
}

void execution::end()
{
    for (unsigned i = 0; i < count; i++)
        if (operands[i].to != nullptr)
            memcpy(operands[i].to, &registers[i], operands[i].bytes);
}

[[noreturn]] static void refuse(const instruction &i, place at)
{
    fail("%s:%d: asm: %s is not emulated: it needs nvcc and a GPU", at.file, at.line,
         i.name.c_str());
    fiber::suspend();
    abort(); // does not come here
}

static std::uint64_t value_of(const argument &a, const std::uint64_t *registers)
{
    return a.number == IMMEDIATE     ? a.value
           : a.number == LANE        ? lane()
           : a.number == WARP_NUMBER ? self->running->number / WARP
           : a.number == LANEMASK_LT ? (1u << lane()) - 1
                                     : registers[a.number] + a.value;
}

static unsigned bytes_of(const instruction &i)
{
    return i.has("b8") || i.has("u8") || i.has("s8")                      ? 1
           : i.has("b16") || i.has("u16") || i.has("s16") || i.has("f16") ? 2
           : i.has("b64") || i.has("u64") || i.has("s64") || i.has("f64") ? 8
                                                                          : 4;
}

static bool compare(const instruction &i, std::uint64_t left, std::uint64_t right)
{
    const std::int64_t a = i.has("s32") ? std::int32_t(left) : std::int64_t(std::uint32_t(left));
    const std::int64_t b = i.has("s32") ? std::int32_t(right) : std::int64_t(std::uint32_t(right));
    return i.has("ne")   ? a != b
           : i.has("eq") ? a == b
           : i.has("lt") ? a < b
           : i.has("le") ? a <= b
           : i.has("gt") ? a > b
                         : a >= b;
}

// Are there as many operands as it takes, and are all registers known?
static bool is_complete(const instruction &i)
{
    static const unsigned wanted[] = {2, 2, 2, 3, 3, 0, 1, 0, 2, 4, 2, 2, 0, 0};
    if (i.what == UNKNOWN || i.arguments.size() < wanted[i.what])
        return false;
    for (auto &parts : i.arguments)
        for (auto &a : parts)
            if (a.number >= MAX_REGISTERS || parts.size() > MAX_PARTS)
                return false;
    return true;
}

bool execution::next(action *a)
{
    for (unsigned t = 0; t < loads; t++) // what the last one loaded
        registers[loaded[t]] = last->part[t];
    loads = 0;
    last = a;
    while (at_instruction < instructions->all.size()) {
        const instruction &i = instructions->all[at_instruction++];
        if (i.predicate >= 0 && (registers[i.predicate] != 0) == i.negated)
            continue;
        if (!is_complete(i))
            refuse(i, at);
        auto value = [&](unsigned n) { return value_of(i.arguments[n][0], registers); };
        auto set = [&](std::uint64_t x) { registers[i.arguments[0][0].number] = x; };
        auto address = [&](unsigned n, bool is_shared) {
            return is_shared ? shared_pointer(value(n), at) : reinterpret_cast<void *>(value(n));
        };
        switch (i.what) {
        case MOVE:
            set(i.has("u32") || i.has("b32") || i.has("s32") || i.has("f32")
                    ? std::uint32_t(value(1))
                    : value(1));
            break;
        case TO_SHARED:
            set(shared_address(reinterpret_cast<void *>(value(1)), at));
            break;
        case TO_TF32:
            set(bits_of(to_tf32(float_of(std::uint32_t(value(1))))));
            break;
        case COMPARE:
            set(compare(i, value(1), value(2)));
            break;
        case COPY_ASYNC:
            *a = {};
            a->kind = action::COPY;
            a->to = address(0, true);
            a->from = address(1, false);
            a->bytes = value(2);
            a->zeros =
                i.arguments.size() > 3 ? a->bytes - std::min<std::size_t>(value(3), a->bytes) : 0;
            if (i.has("cg") && a->bytes != 16) {
                fail("%s:%d: asynchronous copy: cp.async.cg copies 16 bytes, and not %zu", at.file,
                     at.line, a->bytes);
                fiber::suspend();
            }
            return true;
        case COMMIT:
            end_batch();
            break;
        case WAIT_ALL:
            end_batch();
            [[fallthrough]];
        case WAIT_GROUP:
            *a = {};
            a->kind = action::WAIT;
            a->parts = i.what == WAIT_ALL ? 0 : unsigned(value(0));
            return true;
        case LDMATRIX:
            *a = {};
            a->kind = action::MATRICES;
            a->parts = i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
            a->transposed = i.has("trans");
            a->from = lane() < 8 * a->parts ? address(1, true) : nullptr;
            if (i.arguments[0].size() != a->parts)
                refuse(i, at);
            for (auto &part : i.arguments[0])
                loaded[loads++] = part.number;
            return true;
        case LOAD:
        case STORE: {
            const unsigned memory = i.what == LOAD ? 1 : 0;
            *a = {};
            a->kind = i.what == LOAD ? action::LOAD : action::STORE;
            a->to = address(memory, i.has("shared"));
            a->from = a->to;
            a->bytes = bytes_of(i);
            for (auto &part : i.arguments[1 - memory])
                if (i.what == LOAD)
                    loaded[loads++] = part.number;
                else
                    a->part[a->parts++] = value_of(part, registers);
            a->parts = unsigned(i.arguments[1 - memory].size());
            if (reinterpret_cast<std::uintptr_t>(a->to) % (a->bytes * a->parts) != 0)
                misaligned(at, a->bytes * a->parts);
            return true;
        }
        case MMA:
            multiply(i);
            break;
        default:
            break;
        }
    }
    return false;
}

// ---- mma.sync ---------------------------------------------------------------------------------
// D (16 x 8) = A (16 x k) * B (k x 8) + C. Lane 4 * g + q has, of 32 bits each, which are two
// numbers side by side but for TF32 and a float's sums (PTX's manual: "Matrix Fragments for
// mma.m16n8k16" and so on)
//     of A rows g, g + 8 and columns from q on, in steps of a quarter of 32 bits' elements;
//     of B rows, column g.
struct lane_registers {
    const instruction *what;
    std::uint32_t a[4], b[2], c[4];
    unsigned k;
};

enum number { HALF, BFLOAT16, TF32 };

static float element(std::uint32_t bits, unsigned which, number type)
{
    const std::uint16_t part = std::uint16_t(bits >> 16 * which);
    return type == HALF       ? float(__half::from_bits(part))
           : type == BFLOAT16 ? float(__nv_bfloat16::from_bits(part))
                              : cut_to_tf32(float_of(bits));
}

static void multiply_lanes(void *const lanes[32])
{
    const instruction &i = *static_cast<const lane_registers *>(lanes[0])->what;
    const unsigned k = static_cast<const lane_registers *>(lanes[0])->k;
    const number type = i.has("tf32") ? TF32 : i.has("bf16") ? BFLOAT16 : HALF;
    const unsigned each = type == TF32 ? 1 : 2; // numbers in 32 bits
    const bool half_sums = i.has("row.col.f16");
    float A[16 * 16], B[16 * 8], C[16 * 8];
    for (unsigned l = 0; l < WARP; l++) {
        const lane_registers &r = *static_cast<const lane_registers *>(lanes[l]);
        const unsigned g = l / 4, q = l % 4;
        for (unsigned t = 0; t < k / each / 4; t++)
            for (unsigned e = 0; e < each; e++) {
                const unsigned depth = (q + 4 * t) * each + e;
                A[g * k + depth] = element(r.a[2 * t], e, type);
                A[(g + 8) * k + depth] = element(r.a[2 * t + 1], e, type);
                B[depth * 8 + g] = element(r.b[t], e, type);
            }
        for (unsigned t = 0; t < 4; t++)
            C[(g + t / 2 * 8) * 8 + q * 2 + t % 2] =
                half_sums ? element(r.c[t / 2], t % 2, HALF) : float_of(r.c[t]);
    }
    tensor::multiply(16, 8, int(k), int(k), A, B, C);
    for (unsigned l = 0; l < WARP; l++) {
        lane_registers &r = *static_cast<lane_registers *>(lanes[l]);
        std::uint32_t sums[4];
        for (unsigned t = 0; t < 4; t++) {
            const float sum = C[(l / 4 + t / 2 * 8) * 8 + l % 4 * 2 + t % 2];
            sums[t] = half_sums ? __half(sum).bits() : bits_of(sum);
        }
        for (unsigned t = 0; t < 4; t++)
            r.c[t] = !half_sums ? sums[t] : t < 2 ? sums[2 * t] | sums[2 * t + 1] << 16 : 0;
    }
}

void execution::multiply(const instruction &i)
{
    lane_registers r = {&i, {}, {}, {}, 0};
    const bool narrow = i.has("f16.f16") || i.has("bf16.bf16"), tf32 = i.has("tf32.tf32");
    r.k = i.has("m16n8k16") ? 16 : i.has("m16n8k8") ? 8 : i.has("m16n8k4") ? 4 : 0;
    const unsigned parts = tf32 ? r.k / 4 : r.k / 8; // of B, and half of A's
    const unsigned sums = i.has("row.col.f16") ? 2 : 4;
    if (!i.has("row.col") || !(narrow ? r.k == 8 || r.k == 16 : tf32 && (r.k == 4 || r.k == 8)) ||
        i.arguments[0].size() != sums || i.arguments[1].size() != 2 * parts ||
        i.arguments[2].size() != parts || i.arguments[3].size() != sums)
        refuse(i, at);
    for (unsigned t = 0; t < 2 * parts; t++)
        r.a[t] = std::uint32_t(value_of(i.arguments[1][t], registers));
    for (unsigned t = 0; t < parts; t++)
        r.b[t] = std::uint32_t(value_of(i.arguments[2][t], registers));
    for (unsigned t = 0; t < sums; t++)
        r.c[t] = std::uint32_t(value_of(i.arguments[3][t], registers));
    tensor::meet_for_product(&r, multiply_lanes, at);
    for (unsigned t = 0; t < sums; t++)
        registers[i.arguments[0][t].number] = r.c[t];
}
} // namespace ptx
} // namespace emulation
