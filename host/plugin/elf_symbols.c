#include "plugin/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/elf_image.h"

enum { MAX_SYMBOLS = 1 << 20, MAX_TEXTS = 64 << 20 };

static tn_status damaged(const char *what) {
    return tni_fail(TN_CORRUPT, "damaged: %s", what);
}

/* The chain of the last bucket ends with the last symbol. */
static tn_status count_by_gnu_hash(tni_elf_image *file, uint64_t *out_count) {
    uint32_t head[4]; /* buckets, first symbol, words of the filter, its shift */
    TNI_TRY(tni_elf_read(file, file->gnu_hash, head, sizeof head));
    if (head[0] > MAX_SYMBOLS || head[1] > MAX_SYMBOLS || head[2] > MAX_SYMBOLS) {
        return damaged("its table of symbols is too large");
    }
    const uint64_t buckets = file->gnu_hash + sizeof head + (uint64_t)head[2] * 8;
    uint32_t last = 0;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t first;
        TNI_TRY(tni_elf_read(file, buckets + i * 4ull, &first, sizeof first));
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
        TNI_TRY(tni_elf_read(file, chains + (last - head[1]) * 4ull, &hash, sizeof hash));
    }
    *out_count = last;
    return TN_OK;
}

static tn_status count_symbols(tni_elf_image *file, uint64_t *out_count) {
    if (file->hash != 0) {
        uint32_t head[2]; /* buckets, chains: one for each symbol */
        TNI_TRY(tni_elf_read(file, file->hash, head, sizeof head));
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
static tn_status collect(tni_elf_image *file, uint64_t count, Elf64_Sym *symbols,
                         tni_symbols *out) {
    TNI_TRY(tni_elf_read(file, file->symbols, symbols, count * sizeof *symbols));
    TNI_TRY(tni_elf_read(file, file->texts, out->texts, file->texts_size));
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

static tn_status read_names(tni_elf_image *file, tni_symbols *out) {
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
    tni_elf_image *image = tni_allocate(1, sizeof *image); /* large for a stack */
    tni_symbols symbols = {0};
    if (image == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = tni_elf_open(descriptor, file_size, image);
    if (status == TN_OK) {
        status = read_names(image, &symbols);
    }
    tni_elf_finish(image);
    tni_free(image);
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
