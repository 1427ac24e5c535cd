#include "plugin/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum { MAX_SEGMENTS = 256, MAX_DYNAMIC = 4096, MAX_SYMBOLS = 1 << 20, MAX_TEXTS = 64 << 20 };

/* Where things are in the file, and in memory when it is loaded. */
typedef struct library_file {
    int descriptor;
    uint64_t size;
    Elf64_Phdr segments[MAX_SEGMENTS];
    uint32_t segment_count;
    uint64_t symbols, texts, texts_size, hash, gnu_hash; /* addresses; 0: there is none */
} library_file;

static tn_status damaged(const char *what) {
    return tni_fail(TN_CORRUPT, "damaged: %s", what);
}

static tn_status read_at(const library_file *file, uint64_t offset, void *out, uint64_t size) {
    if (offset > file->size || size > file->size - offset) {
        return damaged("its dynamic symbols lie beyond the end of the file");
    }
    size_t done = 0;
    while (done < size) {
        const ssize_t count =
            pread(file->descriptor, (char *)out + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return tni_fail(TN_IO, "its dynamic symbols cannot be read");
        }
        done += (size_t)count;
    }
    return TN_OK;
}

/* The same by the address that the bytes will have in memory. */
static tn_status read_address(const library_file *file, uint64_t address, void *out,
                              uint64_t size) {
    for (uint32_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        const uint64_t within = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            within <= segment->p_filesz && size <= segment->p_filesz - within &&
            segment->p_offset <= file->size) {
            return read_at(file, segment->p_offset + within, out, size);
        }
    }
    return damaged("its dynamic symbols lie in no segment");
}

static tn_status read_segments(library_file *file) {
    Elf64_Ehdr header;
    TNI_TRY(read_at(file, 0, &header, sizeof header));
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MAX_SEGMENTS) {
        return damaged("its program headers are of another kind");
    }
    file->segment_count = header.e_phnum;
    return read_at(file, header.e_phoff, file->segments, header.e_phnum * sizeof(Elf64_Phdr));
}

static void take_dynamic(library_file *file, const Elf64_Dyn *item) {
    switch (item->d_tag) {
    case DT_SYMTAB: file->symbols = item->d_un.d_ptr; break;
    case DT_STRTAB: file->texts = item->d_un.d_ptr; break;
    case DT_STRSZ: file->texts_size = item->d_un.d_val; break;
    case DT_HASH: file->hash = item->d_un.d_ptr; break;
    case DT_GNU_HASH: file->gnu_hash = item->d_un.d_ptr; break;
    default: break;
    }
}

static tn_status read_dynamic(library_file *file) {
    for (uint32_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type != PT_DYNAMIC) {
            continue;
        }
        const uint64_t count = segment->p_filesz / sizeof(Elf64_Dyn);
        for (uint64_t j = 0; j < count && j < MAX_DYNAMIC; j++) {
            Elf64_Dyn item;
            TNI_TRY(read_at(file, segment->p_offset + j * sizeof item, &item, sizeof item));
            if (item.d_tag == DT_NULL) {
                break;
            }
            take_dynamic(file, &item);
        }
        break;
    }
    return TN_OK;
}

/* The chain of the last bucket ends with the last symbol. */
static tn_status count_by_gnu_hash(const library_file *file, uint64_t *out_count) {
    uint32_t head[4]; /* buckets, first symbol, words of the filter, its shift */
    TNI_TRY(read_address(file, file->gnu_hash, head, sizeof head));
    if (head[0] > MAX_SYMBOLS || head[1] > MAX_SYMBOLS || head[2] > MAX_SYMBOLS) {
        return damaged("its table of symbols is too large");
    }
    const uint64_t buckets = file->gnu_hash + sizeof head + (uint64_t)head[2] * 8;
    uint32_t last = 0;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t first;
        TNI_TRY(read_address(file, buckets + i * 4ull, &first, sizeof first));
        last = first > last ? first : last;
    }
    if (last < head[1]) {
        *out_count = head[1];
        return TN_OK;
    }
    const uint64_t chains = buckets + head[0] * 4ull;
    for (uint32_t hash = 0; (hash & 1) == 0; last++) {
        if (last >= MAX_SYMBOLS) {
            return damaged("its table of symbols is too large");
        }
        TNI_TRY(read_address(file, chains + (last - head[1]) * 4ull, &hash, sizeof hash));
    }
    *out_count = last;
    return TN_OK;
}

static tn_status count_symbols(const library_file *file, uint64_t *out_count) {
    if (file->hash != 0) {
        uint32_t head[2]; /* buckets, chains: one for each symbol */
        TNI_TRY(read_address(file, file->hash, head, sizeof head));
        *out_count = head[1];
    } else if (file->gnu_hash != 0) {
        TNI_TRY(count_by_gnu_hash(file, out_count));
    } else {
        *out_count = 0;
    }
    return *out_count <= MAX_SYMBOLS ? TN_OK : damaged("its table of symbols is too large");
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `symbols` is room for the table, which the caller frees. */
static tn_status collect(const library_file *file, uint64_t count, Elf64_Sym *symbols,
                         tni_symbols *out) {
    TNI_TRY(read_address(file, file->symbols, symbols, count * sizeof *symbols));
    TNI_TRY(read_address(file, file->texts, out->texts, file->texts_size));
    out->texts[file->texts_size] = '\0';
    for (uint64_t i = 0; i < count; i++) {
        if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name == 0) {
            continue;
        }
        if (symbols[i].st_name >= file->texts_size) {
            return damaged("the name of a symbol lies outside the names");
        }
        out->names[out->count++] = out->texts + symbols[i].st_name;
    }
    qsort(out->names, out->count, sizeof out->names[0], compare_names);
    return TN_OK;
}

static tn_status read_names(const library_file *file, tni_symbols *out) {
    uint64_t count;
    TNI_TRY(count_symbols(file, &count));
    if (file->texts_size > MAX_TEXTS || file->texts_size > file->size) {
        return damaged("the names of its symbols are too long");
    }
    if (count > file->size / sizeof(Elf64_Sym)) {
        return damaged("its table of symbols is too large");
    }
    Elf64_Sym *symbols = tni_allocate(count, sizeof *symbols);
    out->names = tni_allocate(count, sizeof *out->names);
    out->texts = tni_allocate(file->texts_size + 1, 1);
    tn_status status = TN_OUT_OF_MEMORY;
    if (symbols != NULL && out->names != NULL && out->texts != NULL) {
        status = count == 0 ? TN_OK : collect(file, count, symbols, out);
    }
    tni_free(symbols);
    return status;
}

tn_status tni_symbols_read(int descriptor, uint64_t file_size, tni_symbols *out_symbols) {
    library_file file = {.descriptor = descriptor, .size = file_size};
    tni_symbols symbols = {0};
    tn_status status = read_segments(&file);
    if (status == TN_OK) {
        status = read_dynamic(&file);
    }
    if (status == TN_OK) {
        status = read_names(&file, &symbols);
    }
    if (status != TN_OK) {
        tni_symbols_finish(&symbols);
        return status;
    }
    *out_symbols = symbols;
    return TN_OK;
}

void tni_symbols_finish(tni_symbols *symbols) {
    tni_free(symbols->names);
    tni_free(symbols->texts);
    *symbols = (tni_symbols){0};
}
