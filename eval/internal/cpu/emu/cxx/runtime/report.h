// The report of a launch, as JSON.
#ifndef DW_REPORT_H
#define DW_REPORT_H

#include <inttypes.h>

#include "check.h"
#include "lines.h"

namespace dw {

inline std::string quoted(const std::string& s) {
    std::string out = "\"";
    for (unsigned char c : s) {
        char escape[8];
        if (c == '"' || c == '\\') out += '\\', out += char(c);
        else if (c < 32) snprintf(escape, sizeof escape, "\\u%04x", c), out += escape;
        else out += char(c);
    }
    return out + "\"";
}

inline std::string at_line(const Line& l) { return "\"file\":" + quoted(l.file) + ",\"line\":" + std::to_string(l.line); }

inline std::string three(uint3 v) {
    return "[" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + "]";
}

inline std::string fault_json(const Fault& f) {
    std::string out = "\"kind\":" + quoted(f.kind) + ",\"message\":" + quoted(f.message) + ",";
    out += at_line(f.count ? line_of(f.places[0].pc) : Line{}) + ",\"threads\":[";
    for (int i = 0; i < f.count; ++i) {
        const Place& p = f.places[i];
        out += std::string(i ? "," : "") + "{\"block\":" + three(p.block) + ",\"thread\":" + three(p.thread) +
               ",\"access\":" + quoted(p.access) + "," + at_line(line_of(p.pc)) + "}";
    }
    return out + "]";
}

// sites_json adds up the sites of a line: unrolling makes many of one.
inline std::string sites_json(const Counters& counters) {
    std::vector<const void*> pcs;
    for (auto& s : counters.sites) pcs.push_back(reinterpret_cast<const void*>(s.first));
    for (size_t i = 0; i < pcs.size(); i += 512)  // an argument list has limits
        resolve({pcs.begin() + i, pcs.begin() + (i + 512 < pcs.size() ? i + 512 : pcs.size())});
    std::map<std::pair<Line, int>, Site> lines;
    for (auto& s : counters.sites) {
        Site& sum = lines[{line_of(reinterpret_cast<const void*>(s.first)), s.second.space}];
        sum.accesses += s.second.accesses;
        sum.conflicts += s.second.conflicts;
        sum.sectors += s.second.sectors;
    }
    std::string out = "\"sites\":[";
    bool first = true;
    for (auto& l : lines) {
        const Site& s = l.second;
        char numbers[160];
        const bool is_shared = l.first.second == SHARED;
        snprintf(numbers, sizeof numbers, ",\"space\":\"%s\",\"accesses\":%" PRIu64 ",\"conflicts\":%" PRIu64 ",\"sectors_per_request\":%.4g}",
                 is_shared ? "shared" : "global", s.accesses, s.conflicts, s.accesses ? double(s.sectors) / double(s.accesses) : 0.0);
        out += (first ? "{" : ",{") + at_line(l.first.first) + numbers;
        first = false;
    }
    return out + "]";
}

// write_report fills the caller's buffer. What does not fit is left out whole, so that it stays JSON.
inline void write_report(const Fault* fault, const Counters* counters, char* to, uint64_t capacity) {
    std::string full = "{";
    if (fault) full += fault_json(*fault);
    const std::string short_form = full + "}";
    if (counters) full += (fault ? "," : "") + sites_json(*counters);
    full += "}";
    const std::string& text = full.size() < capacity ? full : short_form.size() < capacity ? short_form : std::string("{}");
    if (text.size() < capacity) memcpy(to, text.c_str(), text.size() + 1);
}

}  // namespace dw

#endif
