#include "plugin/elf_note.h"

#include <elf.h>
#include <string.h>

#include <tenon/plugin/identity.h>

#include "base/error.h"
#include "base/memory.h"
#include "plugin/names.h"

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#elif defined(__riscv)
#define THIS_MACHINE EM_RISCV
#else
#error "add this machine's ELF number here"
#endif

/* The bytes at hand: the beginning of a file, whose length is known. */
typedef struct image {
    const unsigned char *data;
    size_t size;
    uint64_t file_size;
} image;

static bool lies_within(uint64_t offset, uint64_t size, uint64_t limit) {
    return offset <= limit && size <= limit - offset;
}

static tn_status check_identification(const image *file) {
    const unsigned char *ident = file->data;
    if (file->size < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return tni_fail(TN_CORRUPT, "not a plugin: not an ELF file");
    }
    if (file->size < EI_NIDENT) {
        return tni_fail(TN_CORRUPT, "damaged: the ELF header is cut short");
    }
    if (ident[EI_CLASS] != ELFCLASS64) {
        return tni_fail(TN_INCOMPATIBLE, "built for a 32-bit machine, this process is 64-bit");
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return tni_fail(TN_INCOMPATIBLE,
                        "built for a big-endian machine, this process is little-endian");
    }
    return TN_OK;
}

static tn_status read_header(const image *file, Elf64_Ehdr *header) {
    TNI_TRY(check_identification(file));
    if (file->size < sizeof *header) {
        return tni_fail(TN_CORRUPT, "damaged: the ELF header is cut short");
    }
    memcpy(header, file->data, sizeof *header);
    if (header->e_machine != THIS_MACHINE) {
        return tni_fail(TN_INCOMPATIBLE, "built for ELF machine %u, this process is machine %u",
                        (unsigned)header->e_machine, (unsigned)THIS_MACHINE);
    }
    if (header->e_type != ET_DYN) {
        return tni_fail(TN_CORRUPT, "not a plugin: an ELF file of type %u, not a shared library",
                        (unsigned)header->e_type);
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == PN_XNUM) {
        return tni_fail(TN_CORRUPT, "damaged: %u program headers of %u bytes",
                        (unsigned)header->e_phnum, (unsigned)header->e_phentsize);
    }
    const uint64_t size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (!lies_within(header->e_phoff, size, file->file_size)) {
        return tni_fail(TN_CORRUPT, "damaged: the program headers lie beyond the end of the file");
    }
    return TN_OK;
}

static Elf64_Phdr program_header(const image *file, const Elf64_Ehdr *header, uint32_t index) {
    Elf64_Phdr segment;
    memcpy(&segment, file->data + header->e_phoff + index * sizeof segment, sizeof segment);
    return segment;
}

uint64_t tni_note_extent(const void *data, size_t size, uint64_t file_size) {
    const image file = {data, size, file_size};
    Elf64_Ehdr header;
    if (read_header(&file, &header) != TN_OK) {
        return size < file_size ? size : file_size;
    }
    uint64_t extent = header.e_phoff + (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
    if (extent > size) {
        return extent; /* the caller comes again with these */
    }
    for (uint32_t i = 0; i < header.e_phnum; i++) {
        const Elf64_Phdr segment = program_header(&file, &header, i);
        if (segment.p_type == PT_NOTE &&
            lies_within(segment.p_offset, segment.p_filesz, file_size) &&
            segment.p_offset + segment.p_filesz > extent) {
            extent = segment.p_offset + segment.p_filesz;
        }
    }
    return extent;
}

/* A copy that was interrupted often still has its first pages, and the note lies there. */
static tn_status check_whole(const image *file, const Elf64_Ehdr *header) {
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr segment = program_header(file, header, i);
        if ((segment.p_type == PT_LOAD || segment.p_type == PT_NOTE) &&
            !lies_within(segment.p_offset, segment.p_filesz, file->file_size)) {
            return tni_fail(TN_CORRUPT, "damaged: the file is cut short at %llu bytes",
                            (unsigned long long)file->file_size);
        }
    }
    const uint64_t sections = (uint64_t)header->e_shnum * header->e_shentsize;
    if (header->e_shoff != 0 && !lies_within(header->e_shoff, sections, file->file_size)) {
        return tni_fail(TN_CORRUPT, "damaged: the file is cut short at %llu bytes",
                        (unsigned long long)file->file_size);
    }
    return TN_OK;
}

typedef struct content {
    const char *bytes;
    size_t size;
    uint32_t count; /* notes of ours seen */
} content;

static uint64_t round_up(uint64_t size, uint64_t align) {
    return (size + align - 1) / align * align;
}

/* Walks the notes of one segment. Sizes in a note are 32-bit, so sums in 64 bits do not wrap. */
static tn_status find_in_segment(const image *file, const Elf64_Phdr *segment, content *found) {
    const uint64_t align = segment->p_align == 8 ? 8 : 4;
    const uint64_t end = segment->p_offset + segment->p_filesz;
    uint64_t at = segment->p_offset;
    while (end - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, file->data + at, sizeof note);
        const uint64_t owner = at + sizeof note;
        const uint64_t bytes = at + round_up(sizeof note + note.n_namesz, align);
        if (bytes > end || note.n_descsz > end - bytes) {
            return tni_fail(TN_CORRUPT, "damaged: an ELF note goes beyond its segment");
        }
        if (note.n_type == TN_NOTE_TYPE && note.n_namesz == sizeof TN_NOTE_OWNER &&
            memcmp(file->data + owner, TN_NOTE_OWNER, sizeof TN_NOTE_OWNER) == 0) {
            found->bytes = (const char *)file->data + bytes;
            found->size = note.n_descsz;
            found->count++;
        }
        const uint64_t next = bytes + round_up(note.n_descsz, align);
        at = next < end ? next : end;
    }
    return TN_OK;
}

static tn_status find_note(const image *file, const Elf64_Ehdr *header, content *found) {
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr segment = program_header(file, header, i);
        if (segment.p_type != PT_NOTE) {
            continue;
        }
        if (!lies_within(segment.p_offset, segment.p_filesz, file->size)) {
            return tni_fail(TN_CORRUPT, "damaged: the ELF notes lie beyond the bytes at hand");
        }
        TNI_TRY(find_in_segment(file, &segment, found));
    }
    if (found->count == 0) {
        return tni_fail(TN_NOT_FOUND, "not a plugin: a shared library without a Tenon note");
    }
    if (found->count > 1) {
        return tni_fail(TN_CORRUPT, "damaged: %u Tenon notes in one file", (unsigned)found->count);
    }
    return TN_OK;
}

enum {
    KEY_NAME,
    KEY_VERSION,
    KEY_CONTRACT,
    KEY_NEEDS,
    KEY_REQUIRES,
    KEY_OPTIONAL,
    KEY_SANITIZER,
    KEY_TOOLCHAIN,
    KEY_COUNT
};

typedef struct note_text {
    const char *key;
    char *value;
    size_t size; /* of the buffer `value` */
    bool seen;
} note_text;

static tn_status take_text(note_text *texts, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        return tni_fail(TN_CORRUPT, "damaged: the Tenon note has a text without '='");
    }
    const size_t key_size = (size_t)(equals - text);
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        note_text *known = &texts[i];
        if (strlen(known->key) != key_size || memcmp(known->key, text, key_size) != 0) {
            continue;
        }
        if (known->seen) {
            return tni_fail(TN_CORRUPT, "damaged: '%s' stands twice in the Tenon note", known->key);
        }
        const size_t size = strlen(equals + 1);
        if (size >= known->size) {
            return tni_fail(TN_CORRUPT, "damaged: '%s' in the Tenon note is longer than %zu bytes",
                            known->key, known->size - 1);
        }
        if (!tni_text_is_printable(equals + 1, size)) {
            return tni_fail(TN_CORRUPT,
                            "damaged: '%s' in the Tenon note has characters that are not printable",
                            known->key);
        }
        memcpy(known->value, equals + 1, size + 1);
        known->seen = true;
    }
    return TN_OK; /* a key that is not known is skipped: newer plugins may have more */
}

static tn_status split(const content *found, note_text *texts) {
    if (found->size == 0 || found->bytes[found->size - 1] != '\0') {
        return tni_fail(TN_CORRUPT, "damaged: the Tenon note does not end with a NUL");
    }
    for (size_t at = 0; at < found->size; at += strlen(found->bytes + at) + 1) {
        TNI_TRY(take_text(texts, found->bytes + at));
    }
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        if (!texts[i].seen && i != KEY_TOOLCHAIN) {
            return tni_fail(TN_CORRUPT, "damaged: the Tenon note has no '%s'", texts[i].key);
        }
    }
    return TN_OK;
}

/* Up to nine digits. Returns the place behind them, or NULL. */
static const char *parse_number(const char *text, uint32_t *out) {
    uint32_t value = 0;
    uint32_t digits = 0;
    while (text[digits] >= '0' && text[digits] <= '9' && digits < 9) {
        value = value * 10 + (uint32_t)(text[digits] - '0');
        digits++;
    }
    *out = value;
    return digits > 0 ? text + digits : NULL;
}

static tn_status check_services(const char *key, const char *list) {
    char name[64];
    unsigned version;
    int more = 1;
    while (more > 0) {
        more = tni_service_list_next(&list, name, &version);
    }
    if (more < 0) {
        return tni_fail(TN_CORRUPT,
                        "damaged: '%s' in the Tenon note is not a list of name/version at '%s'",
                        key, list);
    }
    return TN_OK;
}

static tn_status interpret(const char *contract, const char *needs, tn_identity *identity) {
    if (!tni_name_is_valid(identity->name, sizeof identity->name - 1)) {
        return tni_fail(TN_CORRUPT,
                        "damaged: the name '%s' in the Tenon note is not made of letters, digits, "
                        "'-', '_' and '.'",
                        identity->name);
    }
    const char *rest = parse_number(contract, &identity->contract_major);
    if (rest != NULL && *rest == '.') {
        rest = parse_number(rest + 1, &identity->contract_minor);
    }
    if (rest == NULL || *rest != '\0' || strchr(contract, '.') == NULL) {
        return tni_fail(TN_CORRUPT, "damaged: contract '%s' in the Tenon note is not major.minor",
                        contract);
    }
    rest = parse_number(needs, &identity->needs_minor);
    if (rest == NULL || *rest != '\0') {
        return tni_fail(TN_CORRUPT, "damaged: needs '%s' in the Tenon note is not a number", needs);
    }
    TNI_TRY(check_services("requires", identity->requires_services));
    return check_services("optional", identity->optional_services);
}

static tn_status parse_content(const content *found, tn_identity *identity) {
    char contract[32] = "";
    char needs[16] = "";
    note_text texts[KEY_COUNT] = {
        [KEY_NAME] = {"name", identity->name, sizeof identity->name, false},
        [KEY_VERSION] = {"version", identity->version, sizeof identity->version, false},
        [KEY_CONTRACT] = {"contract", contract, sizeof contract, false},
        [KEY_NEEDS] = {"needs", needs, sizeof needs, false},
        [KEY_REQUIRES] = {"requires", identity->requires_services,
                          sizeof identity->requires_services, false},
        [KEY_OPTIONAL] = {"optional", identity->optional_services,
                          sizeof identity->optional_services, false},
        [KEY_SANITIZER] = {"sanitizer", identity->sanitizer, sizeof identity->sanitizer, false},
        [KEY_TOOLCHAIN] = {"toolchain", identity->toolchain, sizeof identity->toolchain, false},
    };
    TNI_TRY(split(found, texts));
    return interpret(contract, needs, identity);
}

tn_status tni_note_read(const void *data, size_t size, uint64_t file_size,
                        tn_identity *out_identity) {
    const image file = {data, size, file_size};
    Elf64_Ehdr header;
    TNI_TRY(read_header(&file, &header));
    if (!lies_within(header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr), size)) {
        return tni_fail(TN_CORRUPT, "damaged: the program headers lie beyond the bytes at hand");
    }
    TNI_TRY(check_whole(&file, &header));
    content found = {0};
    TNI_TRY(find_note(&file, &header, &found));
    tn_identity identity = {.struct_size = out_identity->struct_size};
    TNI_TRY(parse_content(&found, &identity));
    *out_identity = identity;
    return TN_OK;
}

const char *tni_note_remedy(tn_status status) {
    switch (status) {
    case TN_NOT_FOUND:
    case TN_CORRUPT:
        return "give a library that was built with TN_PLUGIN of tenon/plugin.h; build or copy it "
               "again if it is damaged";
    case TN_INCOMPATIBLE: return "build it for this machine";
    default: return "";
    }
}
