#include "plugin/elf_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE, SYMBOLIC = R_X86_64_64 };
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE, SYMBOLIC = R_AARCH64_ABS64 };
#elif defined(__riscv)
enum { RELATIVE = R_RISCV_RELATIVE, SYMBOLIC = R_RISCV_64 };
#else
#error "add this machine's relocations of data here"
#endif

#ifndef DT_RELR
#define DT_RELR 36
#endif

enum { MAX_DYNAMIC = 4096, MAX_RELOCATIONS = 1 << 20, MAX_CHAIN = 1 << 16, MAX_SYMBOL = 256 };

static tn_status damaged(const char *what) {
    return tni_fail(TN_CORRUPT, "damaged: %s", what);
}

/* As many bytes as there are up to the end of the file. */
static tn_status read_file(const tni_elf_image *image, uint64_t offset, void *out, uint64_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t count =
            pread(image->descriptor, (char *)out + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return tni_fail(TN_IO, "its tables cannot be read");
        }
        done += (size_t)count;
    }
    return TN_OK;
}

static bool window_has(const tni_elf_window *window, uint64_t offset, uint64_t size) {
    return offset >= window->offset && offset - window->offset <= window->size &&
           size <= window->size - (offset - window->offset);
}

/* The window that has these bytes, of which there are few. */
static tn_status find_window(tni_elf_image *image, uint64_t offset, uint64_t size,
                             const tni_elf_window **out_window) {
    for (uint32_t i = 0; i < TNI_ELF_WINDOWS; i++) {
        if (window_has(&image->windows[i], offset, size)) {
            *out_window = &image->windows[i];
            return TN_OK;
        }
    }
    tni_elf_window *window = &image->windows[image->next_window++ % TNI_ELF_WINDOWS];
    window->size = 0;
    const uint64_t rest = image->size - offset;
    const uint32_t count = rest < TNI_ELF_WINDOW ? (uint32_t)rest : TNI_ELF_WINDOW;
    TNI_TRY(read_file(image, offset, window->bytes, count));
    window->offset = offset;
    window->size = count;
    *out_window = window;
    return TN_OK;
}

static tn_status read_at(tni_elf_image *image, uint64_t offset, void *out, uint64_t size) {
    if (offset > image->size || size > image->size - offset) {
        return damaged("its tables lie beyond the end of the file");
    }
    if (size > TNI_ELF_WINDOW / 4) {
        return read_file(image, offset, out, size);
    }
    const tni_elf_window *window;
    TNI_TRY(find_window(image, offset, size, &window));
    memcpy(out, window->bytes + (offset - window->offset), size);
    return TN_OK;
}

/* Where the file has `address`, and how many bytes of its segment follow. */
static tn_status place_of(const tni_elf_image *image, uint64_t address, uint64_t *out_offset,
                          uint64_t *out_rest) {
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        const uint64_t within = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            within < segment->p_filesz && segment->p_offset <= image->size &&
            segment->p_filesz <= image->size - segment->p_offset) {
            *out_offset = segment->p_offset + within;
            *out_rest = segment->p_filesz - within;
            return TN_OK;
        }
    }
    return damaged("one of its tables lies in no segment");
}

tn_status tni_elf_read(tni_elf_image *image, uint64_t address, void *out, uint64_t size) {
    uint64_t offset, rest;
    TNI_TRY(place_of(image, address, &offset, &rest));
    if (size > rest) {
        return damaged("one of its tables goes beyond its segment");
    }
    return read_at(image, offset, out, size);
}

tn_status tni_elf_read_text(tni_elf_image *image, uint64_t address, char *out, uint64_t size) {
    uint64_t offset, rest;
    TNI_TRY(place_of(image, address, &offset, &rest));
    const uint64_t most = size < rest ? size : rest;
    TNI_TRY(read_at(image, offset, out, most));
    return memchr(out, '\0', most) != NULL ? TN_OK : damaged("a text does not end");
}

static tn_status read_segments(tni_elf_image *image) {
    Elf64_Ehdr header;
    TNI_TRY(read_at(image, 0, &header, sizeof header));
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > TNI_ELF_MAX_SEGMENTS) {
        return damaged("its program headers are of another kind");
    }
    image->segment_count = header.e_phnum;
    return read_at(image, header.e_phoff, image->segments, header.e_phnum * sizeof(Elf64_Phdr));
}

static void take_dynamic(tni_elf_image *image, const Elf64_Dyn *item) {
    switch (item->d_tag) {
    case DT_SYMTAB: image->symbols = item->d_un.d_ptr; break;
    case DT_STRTAB: image->texts = item->d_un.d_ptr; break;
    case DT_STRSZ: image->texts_size = item->d_un.d_val; break;
    case DT_HASH: image->hash = item->d_un.d_ptr; break;
    case DT_GNU_HASH: image->gnu_hash = item->d_un.d_ptr; break;
    case DT_RELA: image->relocations = item->d_un.d_ptr; break;
    case DT_RELASZ: image->relocations_size = item->d_un.d_val; break;
    case DT_RELR: image->packed_relocations = item->d_un.d_ptr; break;
    default: break;
    }
}

static tn_status read_dynamic(tni_elf_image *image) {
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_DYNAMIC) {
            continue;
        }
        const uint64_t count = segment->p_filesz / sizeof(Elf64_Dyn);
        for (uint64_t j = 0; j < count && j < MAX_DYNAMIC; j++) {
            Elf64_Dyn item;
            TNI_TRY(read_at(image, segment->p_offset + j * sizeof item, &item, sizeof item));
            if (item.d_tag == DT_NULL) {
                break;
            }
            take_dynamic(image, &item);
        }
        break;
    }
    return TN_OK;
}

tn_status tni_elf_open(int descriptor, uint64_t file_size, tni_elf_image *image) {
    image->descriptor = descriptor;
    image->size = file_size;
    TNI_TRY(read_segments(image));
    return read_dynamic(image);
}

void tni_elf_finish(tni_elf_image *image) {
    tni_free(image->sorted);
    image->sorted = NULL;
}

/* Pointers. */

static int compare_places(const void *a, const void *b) {
    const uint64_t left = ((const Elf64_Rela *)a)->r_offset;
    const uint64_t right = ((const Elf64_Rela *)b)->r_offset;
    return left < right ? -1 : left > right;
}

/* Those of data alone, which linkers write in order. */
static uint64_t keep_those_of_data(Elf64_Rela *all, uint64_t count, bool *out_in_order) {
    uint64_t kept = 0;
    *out_in_order = true;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t type = ELF64_R_TYPE(all[i].r_info);
        if (type != RELATIVE && type != SYMBOLIC) {
            continue;
        }
        *out_in_order = *out_in_order && (kept == 0 || all[kept - 1].r_offset <= all[i].r_offset);
        all[kept++] = all[i];
    }
    return kept;
}

static tn_status sort_relocations(tni_elf_image *image) {
    const uint64_t count = image->relocations_size / sizeof(Elf64_Rela);
    if (count > MAX_RELOCATIONS || count > image->size / sizeof(Elf64_Rela)) {
        return damaged("it has too many relocations");
    }
    Elf64_Rela *all = tni_allocate(count + 1, sizeof *all);
    if (all == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const tn_status status =
        count == 0 ? TN_OK : tni_elf_read(image, image->relocations, all, count * sizeof *all);
    if (status != TN_OK) {
        tni_free(all);
        return status;
    }
    bool in_order;
    image->sorted = all;
    image->sorted_count = keep_those_of_data(all, count, &in_order);
    if (!in_order) {
        qsort(all, image->sorted_count, sizeof *all, compare_places);
    }
    return TN_OK;
}

/* What the dynamic linker would write, as an address before the library is moved. */
static tn_status resolve(tni_elf_image *image, const Elf64_Rela *relocation,
                         uint64_t *out_address) {
    const uint64_t addend = (uint64_t)relocation->r_addend;
    if (ELF64_R_TYPE(relocation->r_info) == RELATIVE) {
        *out_address = addend;
        return TN_OK;
    }
    Elf64_Sym symbol = {0};
    if (ELF64_R_TYPE(relocation->r_info) == SYMBOLIC) {
        TNI_TRY(tni_elf_read(image,
                             image->symbols + ELF64_R_SYM(relocation->r_info) * sizeof symbol,
                             &symbol, sizeof symbol));
    }
    if (symbol.st_shndx == SHN_UNDEF) {
        return tni_fail(TN_UNSUPPORTED, "a pointer leads to another library");
    }
    *out_address = symbol.st_value + addend;
    return TN_OK;
}

tn_status tni_elf_read_pointer(tni_elf_image *image, uint64_t address, uint64_t *out_address) {
    if (image->sorted == NULL) {
        TNI_TRY(sort_relocations(image));
    }
    const Elf64_Rela key = {.r_offset = address};
    const Elf64_Rela *found =
        image->sorted_count == 0
            ? NULL
            : bsearch(&key, image->sorted, image->sorted_count, sizeof key, compare_places);
    if (found != NULL) {
        return resolve(image, found, out_address);
    }
    TNI_TRY(tni_elf_read(image, address, out_address, sizeof *out_address));
    if (*out_address != 0 && image->packed_relocations == 0) {
        return tni_fail(TN_UNSUPPORTED, "a pointer is not relocated");
    }
    return TN_OK;
}

/* Symbols. */

static tn_status is_named(tni_elf_image *image, const Elf64_Sym *symbol, const char *name,
                          size_t size, bool *out_is) {
    char text[MAX_SYMBOL];
    *out_is = false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= image->texts_size ||
        size > image->texts_size - symbol->st_name) {
        return TN_OK;
    }
    TNI_TRY(tni_elf_read(image, image->texts + symbol->st_name, text, size));
    *out_is = memcmp(text, name, size) == 0;
    return TN_OK;
}

static uint32_t gnu_hash(const char *name) {
    uint32_t hash = 5381;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; at++) {
        hash = hash * 33 + *at;
    }
    return hash;
}

static tn_status read_symbol(tni_elf_image *image, uint64_t index, Elf64_Sym *out_symbol) {
    return tni_elf_read(image, image->symbols + index * sizeof *out_symbol, out_symbol,
                        sizeof *out_symbol);
}

tn_status tni_elf_find_symbol(tni_elf_image *image, const char *name, Elf64_Sym *out_symbol) {
    const size_t size = strlen(name) + 1;
    uint32_t head[4]; /* buckets, first symbol, words of the filter, its shift */
    if (image->gnu_hash == 0 || image->symbols == 0 || size > MAX_SYMBOL) {
        return tni_fail(TN_UNSUPPORTED, "its symbols are found in another way");
    }
    TNI_TRY(tni_elf_read(image, image->gnu_hash, head, sizeof head));
    if (head[0] == 0) {
        return damaged("its table of symbols has no buckets");
    }
    const uint64_t buckets = image->gnu_hash + sizeof head + (uint64_t)head[2] * 8;
    const uint64_t chains = buckets + head[0] * 4ull;
    const uint32_t wanted = gnu_hash(name);
    uint32_t index, hash = 0;
    TNI_TRY(tni_elf_read(image, buckets + wanted % head[0] * 4ull, &index, sizeof index));
    for (uint32_t steps = 0; index >= head[1] && (hash & 1) == 0 && steps < MAX_CHAIN; steps++) {
        TNI_TRY(tni_elf_read(image, chains + (index - head[1]) * 4ull, &hash, sizeof hash));
        if ((hash | 1) == (wanted | 1)) {
            bool is;
            TNI_TRY(read_symbol(image, index, out_symbol));
            TNI_TRY(is_named(image, out_symbol, name, size, &is));
            if (is) {
                return TN_OK;
            }
        }
        index++;
    }
    return tni_fail(TN_NOT_FOUND, "the library exports no symbol '%s'", name);
}
