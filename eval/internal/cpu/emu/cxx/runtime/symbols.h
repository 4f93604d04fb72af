// The names of an object's thread-local variables, which are its `__shared__` ones, for the reports.
//
// Some are guard variables: for a `__shared__` array of a class type, such as __half, a C++ compiler asks at run
// time whether it has been initialised, and keeps the answer beside it. The poison answers yes, which is right: there
// is nothing to initialise. These reads are the compiler's and not the kernel's, so the checks pass them over.
#ifndef DW_SYMBOLS_H
#define DW_SYMBOLS_H

#include <cxxabi.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

namespace dw {

template <class T>
inline bool read_at(FILE* f, uint64_t offset, T* to, size_t count) {
    return fseek(f, long(offset), SEEK_SET) == 0 && fread(to, sizeof(T), count, f) == count;
}

struct Variable {
    uintptr_t offset, bytes;
    bool guard;
    std::string name;
};

// plain_name is what the source calls a variable: the end of its full name.
inline std::string plain_name(const char* mangled) {
    int status = 0;
    char* full = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    std::string name = full ? full : mangled;
    free(full);
    const size_t at = name.rfind("::");
    return at == std::string::npos ? name : name.substr(at + 2);
}

inline std::vector<Variable> thread_local_variables(const char* path) {
    std::vector<Variable> out;
    FILE* f = fopen(path, "rb");
    if (!f) return out;
    ElfW(Ehdr) head;
    std::vector<ElfW(Shdr)> sections;
    if (read_at(f, 0, &head, 1)) {
        sections.resize(head.e_shnum);
        if (!read_at(f, head.e_shoff, sections.data(), sections.size())) sections.clear();
    }
    for (const auto& s : sections) {
        if (s.sh_type != SHT_SYMTAB || s.sh_link >= sections.size()) continue;
        std::vector<ElfW(Sym)> symbols(s.sh_size / sizeof(ElfW(Sym)));
        std::vector<char> names(sections[s.sh_link].sh_size + 1);
        if (!read_at(f, s.sh_offset, symbols.data(), symbols.size()) ||
            !read_at(f, sections[s.sh_link].sh_offset, names.data(), names.size() - 1)) continue;
        for (const auto& y : symbols) {
            if ((y.st_info & 15) != STT_TLS || y.st_name >= names.size()) continue;
            const char* name = &names[y.st_name];
            const bool guard = strncmp(name, "_ZGV", 4) == 0;
            out.push_back({y.st_value, guard ? 8 : y.st_size, guard, plain_name(name)});
        }
    }
    fclose(f);
    return out;
}

}  // namespace dw

#endif
