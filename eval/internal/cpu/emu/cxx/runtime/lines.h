// Source lines of code addresses, from the debugging information, by way of addr2line.
#ifndef DW_LINES_H
#define DW_LINES_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "abi.h"

namespace dw {

struct Line {
    std::string file;  // empty if unknown
    int line = 0;
    bool operator==(const Line& o) const { return file == o.file && line == o.line; }
    bool operator<(const Line& o) const { return file != o.file ? file < o.file : line < o.line; }
};

// library tells the device library's files from the candidate's: a line of the latter says more.
inline bool library(const std::string& file) {
    for (const char* part : {"/dw/", "/darwarp/", "/mma.h", "/cuda_fp16.h", "/cuda_bf16.h", "/include/c++/", "/lib/gcc/"})
        if (file.find(part) != std::string::npos) return true;
    return false;
}

inline std::map<const void*, Line>& known_lines() {
    static std::map<const void*, Line> lines;
    return lines;
}

// parse_lines reads addr2line -a -i: for each address 0x..., then file:line from the innermost inlined
// function out. The first frame outside the device library counts, else the innermost.
inline void parse_lines(FILE* in, const std::vector<const void*>& pcs) {
    char text[4096];
    size_t at = 0;
    bool found = false;
    while (fgets(text, sizeof text, in)) {
        if (strncmp(text, "0x", 2) == 0) {
            ++at;
            found = false;
            continue;
        }
        char* colon = strrchr(text, ':');
        if (at == 0 || at > pcs.size() || !colon || found) continue;
        Line l;
        l.line = atoi(colon + 1);
        l.file.assign(text, colon - text);
        if (l.line == 0 || l.file == "??") continue;
        found = !library(l.file);
        Line& slot = known_lines()[pcs[at - 1]];
        if (found || slot.line == 0) slot = l;
    }
}

// resolve looks up addresses (of calls: the byte before the return address) in one run of addr2line.
inline void resolve(const std::vector<const void*>& pcs) {
    Dl_info self;
    if (!dladdr(reinterpret_cast<void*>(&dw_abi), &self)) return;
    std::string object = self.dli_fname;
    const std::string mine = "/proc/self/";  // what another process calls by our number
    if (object.compare(0, mine.size(), mine) == 0) object = "/proc/" + std::to_string(getpid()) + object.substr(mine.size() - 1);
    std::vector<const void*> fresh;
    std::string command = "addr2line -a -i -e '" + object + "'";
    for (const void* pc : pcs) {
        if (!pc || known_lines().count(pc)) continue;
        known_lines()[pc];
        fresh.push_back(pc);
        char address[32];
        snprintf(address, sizeof address, " 0x%zx", size_t(pc) - size_t(self.dli_fbase) - 1);
        command += address;
    }
    if (fresh.empty() || object.find('\'') != std::string::npos) return;
    FILE* out = popen((command + " 2>/dev/null").c_str(), "r");
    if (!out) return;
    parse_lines(out, fresh);
    pclose(out);
}

inline Line line_of(const void* pc) {
    if (!pc) return {};
    resolve({pc});
    return known_lines()[pc];
}

// same_line says whether two calls stand on one line: the compiler may have made copies of it.
inline bool same_line(const void* a, const void* b) {
    resolve({a, b});
    const Line x = line_of(a);
    return x.line != 0 && x == line_of(b);
}

}  // namespace dw

#endif
