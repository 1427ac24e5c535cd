/*
 * A shared library as it will be in memory, read from its file by addresses. Nothing of the file is
 * trusted, nothing of it is run, and it is read rather than mapped: a mapped file that somebody
 * shortens raises a signal.
 */
#ifndef TENON_PLUGIN_ELF_IMAGE_H
#define TENON_PLUGIN_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>

#include <tenon/api.h>

enum { TNI_ELF_MAX_SEGMENTS = 256, TNI_ELF_WINDOW = 8192, TNI_ELF_WINDOWS = 4 };

/* Part of the file that was read lately. */
typedef struct tni_elf_window {
    uint64_t offset;
    uint32_t size; /* 0: nothing */
    unsigned char bytes[TNI_ELF_WINDOW];
} tni_elf_window;

typedef struct tni_elf_image {
    int descriptor;
    uint64_t size;
    Elf64_Phdr segments[TNI_ELF_MAX_SEGMENTS];
    uint32_t segment_count;
    /* Of the dynamic section; addresses, 0: there is none. */
    uint64_t symbols, texts, texts_size, hash, gnu_hash;
    uint64_t relocations, relocations_size, packed_relocations;
    Elf64_Rela *sorted; /* the relocations by the address that they change */
    uint64_t sorted_count;
    tni_elf_window windows[TNI_ELF_WINDOWS];
    uint32_t next_window;
} tni_elf_image;

/* Reads the headers and the dynamic section of a file whose identification has been looked at into
 * an image of zeros. CORRUPT for what does not lie in the file. To be finished after a failure,
 * too. */
tn_status tni_elf_open(int descriptor, uint64_t file_size, tni_elf_image *image);
void tni_elf_finish(tni_elf_image *image);

/* Bytes as the file has them. */
tn_status tni_elf_read(tni_elf_image *image, uint64_t address, void *out, uint64_t size);

/* A text of at most `size` - 1 bytes. */
tn_status tni_elf_read_text(tni_elf_image *image, uint64_t address, char *out, uint64_t size);

/* Where the pointer at `address` will lead, 0 for a null pointer. UNSUPPORTED when only the dynamic
 * linker can tell. */
tn_status tni_elf_read_pointer(tni_elf_image *image, uint64_t address, uint64_t *out_address);

/* The dynamic symbol that the library defines under that name. NOT_FOUND without one. */
tn_status tni_elf_find_symbol(tni_elf_image *image, const char *name, Elf64_Sym *out_symbol);

#endif
