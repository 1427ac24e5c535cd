#include "plugin/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/names.h"
#include "plugin/trust.h"

/* Whether the file behind the mapping of `address` has lost its name: the dynamic linker goes by
 * names first, and gives the old library for a path at which there is a new file by now. */
static bool maps_a_deleted_file(const void *address) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) {
        return false;
    }
    static const char mark[] = " (deleted)\n";
    char line[8192];
    bool deleted = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && (uintptr_t)address >= begin &&
            (uintptr_t)address < end) {
            const size_t size = strlen(line);
            deleted = size >= sizeof mark && strcmp(line + size - (sizeof mark - 1), mark) == 0;
            break;
        }
    }
    fclose(maps);
    return deleted;
}

/* Not through /proc/self/fd, which would tie the library to the examined file for certain but
 * breaks its run path. With a trusted directory only the user could have swapped the file. */
static tn_status check_same(const tni_plugin_file *file, void *library, bool was_mapped,
                            char *remedy, size_t remedy_size) {
    struct link_map *map;
    struct stat status;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        return tni_fail(TN_IO, "the dynamic linker does not tell which file it opened");
    }
    if (stat(map->l_name, &status) != 0 || !tni_is_unchanged(&status, &file->status)) {
        snprintf(remedy, remedy_size, "load it again once nobody writes it");
        return tni_fail(TN_DENIED, "the file was replaced while it was loaded");
    }
    if (was_mapped && maps_a_deleted_file(map->l_ld)) {
        snprintf(remedy, remedy_size, "load the new build under another file name");
        return tni_fail(TN_FAILED_PRECONDITION,
                        "an older build of the same path is still in memory");
    }
    return TN_OK;
}

static tn_status open_failed(const char *real_path, char *remedy, size_t remedy_size) {
    const char *words = dlerror();
    words = words != NULL ? words : "no reason given";
    const size_t size = strlen(real_path);
    if (strncmp(words, real_path, size) == 0 && strncmp(words + size, ": ", 2) == 0) {
        words += size + 2; /* the path stands in front of the message already */
    }
    if (strstr(words, "undefined symbol") != NULL) {
        snprintf(remedy, remedy_size,
                 "link the library that defines it; a plugin links nothing of Tenon's");
    } else if (strstr(words, "cannot open shared object file") != NULL) {
        snprintf(remedy, remedy_size, "install the library that it needs");
    } else {
        snprintf(remedy, remedy_size, "correct what the dynamic linker names");
    }
    return tni_fail(TN_IO, "the dynamic linker refuses it: %s", words);
}

tn_status tni_library_open(const tni_plugin_file *file, void **out_library, char *remedy,
                           size_t remedy_size) {
    const bool was_mapped = tni_library_is_mapped(file->real_path);
    void *library = dlopen(file->real_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return open_failed(file->real_path, remedy, remedy_size);
    }
    const tn_status status = check_same(file, library, was_mapped, remedy, remedy_size);
    if (status != TN_OK) {
        tni_library_close(library);
        return status;
    }
    *out_library = library;
    return TN_OK;
}

/* The symbol must be the library's own (dlsym looks into what the library links, too), data, and
 * large enough for what its struct_size claims. */
static tn_status check_symbol(void *library, const void *symbol) {
    Dl_info info;
    struct link_map *owner;
    struct link_map *own;
    const ElfW(Sym) *entry = NULL;
    if (dladdr1(symbol, &info, (void **)&owner, RTLD_DL_LINKMAP) == 0 ||
        dlinfo(library, RTLD_DI_LINKMAP, &own) != 0 || owner != own ||
        dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) == 0 || entry == NULL) {
        return tni_fail(TN_CORRUPT, "the symbol '%s' is not the library's own", TN_PLUGIN_SYMBOL);
    }
    if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT ||
        entry->st_size < TN_STRUCT_END(tn_plugin, entry_stride)) {
        return tni_fail(TN_CORRUPT, "the symbol '%s' is not a table of a plugin", TN_PLUGIN_SYMBOL);
    }
    uint32_t size;
    memcpy(&size, symbol, sizeof size);
    if (size < TN_STRUCT_END(tn_plugin, entry_stride) || size > entry->st_size) {
        return tni_fail(TN_CORRUPT, "the table's struct_size is %u, expected %u to %llu", size,
                        TN_STRUCT_END(tn_plugin, entry_stride), (unsigned long long)entry->st_size);
    }
    return TN_OK;
}

/* Both are written by one macro; where they differ, somebody wrote one by hand. */
static tn_status check_agreement(const tn_plugin *table, const tn_identity *note) {
    if (!tni_text_is_printable(table->name, TNI_MAX_NAME) ||
        !tni_text_is_printable(table->version, TNI_MAX_NAME)) {
        return tni_fail(TN_CORRUPT, "the table's name or version is missing or not printable");
    }
    if (strcmp(table->name, note->name) != 0) {
        return tni_fail(TN_CORRUPT, "note and table disagree: name '%s' and '%s'", note->name,
                        table->name);
    }
    if (strcmp(table->version, note->version) != 0) {
        return tni_fail(TN_CORRUPT, "note and table disagree: version '%s' and '%s'", note->version,
                        table->version);
    }
    if (table->contract_major != note->contract_major ||
        table->contract_minor != note->contract_minor || table->needs_minor != note->needs_minor) {
        return tni_fail(TN_CORRUPT,
                        "note and table disagree: contract %u.%u needing %u and %u.%u needing %u",
                        note->contract_major, note->contract_minor, note->needs_minor,
                        table->contract_major, table->contract_minor, table->needs_minor);
    }
    return TN_OK;
}

tn_status tni_library_table(void *library, const tn_identity *identity,
                            const tn_plugin **out_table) {
    dlerror();
    const void *symbol = dlsym(library, TN_PLUGIN_SYMBOL);
    if (symbol == NULL) {
        return tni_fail(TN_CORRUPT, "the library exports no symbol '%s'", TN_PLUGIN_SYMBOL);
    }
    TNI_TRY(check_symbol(library, symbol));
    TNI_TRY(check_agreement(symbol, identity));
    *out_table = symbol;
    return TN_OK;
}

void tni_library_close(void *library) {
    if (library != NULL && strcmp(TN_SANITIZER, "address") != 0) {
        dlclose(library);
    }
}

bool tni_library_is_mapped(const char *real_path) {
    void *library = dlopen(real_path, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
        dlclose(library);
    }
    return library != NULL;
}
