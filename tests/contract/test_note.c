/* The reader of the ELF note, with files that no linker would make. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/identity.h>

#include "plugin/elf_note.h"

TestSuite(note);

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_RISCV
#endif

#define GOOD                                                                                       \
    "name=n\0version=1\0contract=3.14\0needs=9\0requires=error/1,log/2\0optional=\0"               \
    "sanitizer=none\0toolchain=cc"

/* A file made of nothing but headers and one segment of notes. */
typedef struct file {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    unsigned char notes[2048];
    size_t notes_size;
} file;

static file empty_file(void) {
    file f = {.header = {.e_type = ET_DYN,
                         .e_machine = MACHINE,
                         .e_phoff = offsetof(file, segments),
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 1}};
    memcpy(f.header.e_ident, ELFMAG "\2\1\1", 7);
    f.segments[0].p_type = PT_NOTE;
    f.segments[0].p_offset = offsetof(file, notes);
    f.segments[0].p_align = 4;
    return f;
}

static void add_note(file *f, const char *owner, uint32_t type, const char *content, size_t size) {
    const Elf64_Nhdr note = {
        .n_namesz = (Elf64_Word)strlen(owner) + 1, .n_descsz = (Elf64_Word)size, .n_type = type};
    unsigned char *at = f->notes + f->notes_size;
    memcpy(at, &note, sizeof note);
    memcpy(at + sizeof note, owner, note.n_namesz);
    memcpy(at + sizeof note + (note.n_namesz + 3) / 4 * 4, content, size);
    f->notes_size += sizeof note + (note.n_namesz + 3) / 4 * 4 + (size + 3) / 4 * 4;
    f->segments[0].p_filesz = f->notes_size;
}

static size_t size_of(const file *f) {
    return offsetof(file, notes) + f->notes_size;
}

static tn_status read_file(const file *f, tn_identity *identity) {
    *identity = (tn_identity){.struct_size = TN_IDENTITY_SIZE};
    return tni_note_read(f, size_of(f), size_of(f), identity);
}

static void expect_corrupt(const file *f, const char *message) {
    tn_identity identity;
    cr_expect_eq(read_file(f, &identity), TN_CORRUPT);
    cr_expect_str_eq(tn_error_message(), message);
    cr_expect_eq(identity.name[0], '\0', "the output was written to");
}

static void expect_content(const char *content, size_t size, const char *message) {
    file f = empty_file();
    add_note(&f, "Tenon", 1, content, size);
    expect_corrupt(&f, message);
}

#define CONTENT(TEXT, MESSAGE) expect_content(TEXT, sizeof(TEXT), MESSAGE)

Test(note, good) {
    file f = empty_file();
    tn_identity identity;
    add_note(&f, "GNU", 3, "\1\2\3\4", 4);
    add_note(&f, "Tenon", 2, "of another type", 16);
    add_note(&f, "Tenon", 1, GOOD, sizeof GOOD);
    add_note(&f, "Other", 1, "x", 2);
    cr_assert_eq(read_file(&f, &identity), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(identity.name, "n");
    cr_expect_str_eq(identity.version, "1");
    cr_expect_eq(identity.contract_major, 3u);
    cr_expect_eq(identity.contract_minor, 14u);
    cr_expect_eq(identity.needs_minor, 9u);
    cr_expect_str_eq(identity.requires_services, "error/1,log/2");
    cr_expect_str_eq(identity.optional_services, "");
    cr_expect_str_eq(identity.sanitizer, "none");
    cr_expect_str_eq(identity.toolchain, "cc");
}

Test(note, keys_that_are_not_known_are_skipped) {
    file f = empty_file();
    tn_identity identity;
    add_note(&f, "Tenon", 1, "colour=blue\0" GOOD "\0colour=red",
             sizeof("colour=blue\0" GOOD "\0colour=red"));
    cr_expect_eq(read_file(&f, &identity), TN_OK, "%s", tn_error_message());
}

Test(note, toolchain_may_be_missing) {
    static const char content[] = "name=n\0version=1\0contract=0.1\0needs=1\0requires=\0optional="
                                  "\0sanitizer=none";
    file f = empty_file();
    tn_identity identity;
    add_note(&f, "Tenon", 1, content, sizeof content);
    cr_expect_eq(read_file(&f, &identity), TN_OK, "%s", tn_error_message());
}

Test(note, content) {
    CONTENT("name=n\0version=1", "damaged: the Tenon note has no 'contract'");
    CONTENT("name=n\0nonsense", "damaged: the Tenon note has a text without '='");
    CONTENT("name=n\0", "damaged: the Tenon note has a text without '='");
    CONTENT("name=n\0name=m", "damaged: 'name' stands twice in the Tenon note");
    CONTENT("name=n\0version=1\0contract=0.1\0needs=99999999999999999999",
            "damaged: 'needs' in the Tenon note is longer than 15 bytes");
    CONTENT("version=\x1b[2J",
            "damaged: 'version' in the Tenon note has characters that are not printable");
    CONTENT("name=b\xc3\xa4r",
            "damaged: 'name' in the Tenon note has characters that are not printable");
    expect_content("", 0, "damaged: the Tenon note does not end with a NUL");
    expect_content("name=n", 6, "damaged: the Tenon note does not end with a NUL");
}

#define WITH(NAME, CONTRACT, NEEDS, REQUIRES, OPTIONAL)                                            \
    "name=" NAME "\0version=1\0contract=" CONTRACT "\0needs=" NEEDS "\0requires=" REQUIRES         \
    "\0optional=" OPTIONAL "\0sanitizer=none"

Test(note, values) {
    CONTENT(WITH("", "0.1", "1", "", ""),
            "damaged: the name '' in the Tenon note is not made of letters, digits, '-', '_' and "
            "'.'");
    CONTENT(WITH("../x", "0.1", "1", "", ""),
            "damaged: the name '../x' in the Tenon note is not made of letters, digits, '-', '_' "
            "and '.'");
    static const char *const bad_contracts[] = {"",      "1",    "1.",  ".1",
                                                "1.2.3", "-1.0", "1.x", " 1.0"};
    for (size_t i = 0; i < sizeof bad_contracts / sizeof bad_contracts[0]; i++) {
        char text[256] = "name=n";
        size_t used = sizeof "name=n";
        used += (size_t)sprintf(text + used, "version=1") + 1;
        used += (size_t)sprintf(text + used, "contract=%s", bad_contracts[i]) + 1;
        static const char rest[] = "needs=1\0requires=\0optional=\0sanitizer=none";
        memcpy(text + used, rest, sizeof rest);
        char message[128];
        sprintf(message, "damaged: contract '%s' in the Tenon note is not major.minor",
                bad_contracts[i]);
        expect_content(text, used + sizeof rest, message);
    }
    CONTENT(WITH("n", "0.1", "one", "", ""),
            "damaged: needs 'one' in the Tenon note is not a number");
    CONTENT(WITH("n", "0.1", "1", "error", ""),
            "damaged: 'requires' in the Tenon note is not a list of name/version at 'error'");
    CONTENT(WITH("n", "0.1", "1", "error/1,", ""),
            "damaged: 'requires' in the Tenon note is not a list of name/version at 'error/1,'");
    CONTENT(WITH("n", "0.1", "1", "error/1,,log/1", ""),
            "damaged: 'requires' in the Tenon note is not a list of name/version at ',log/1'");
    CONTENT(WITH("n", "0.1", "1", "", "log/0"),
            "damaged: 'optional' in the Tenon note is not a list of name/version at 'log/0'");
    CONTENT(WITH("n", "0.1", "1", "/1", ""),
            "damaged: 'requires' in the Tenon note is not a list of name/version at '/1'");
}

Test(note, structure) {
    file f = empty_file();
    tn_identity identity;
    cr_expect_eq(read_file(&f, &identity), TN_NOT_FOUND);
    cr_expect_str_eq(tn_error_message(), "not a plugin: a shared library without a Tenon note");
    add_note(&f, "Tenon", 1, GOOD, sizeof GOOD);
    add_note(&f, "Tenon", 1, GOOD, sizeof GOOD);
    expect_corrupt(&f, "damaged: 2 Tenon notes in one file");

    f = empty_file();
    add_note(&f, "Tenon", 1, GOOD, sizeof GOOD);
    f.segments[1] = f.segments[0]; /* the same notes, described twice */
    f.header.e_phnum = 2;
    expect_corrupt(&f, "damaged: 2 Tenon notes in one file");
}

/* Sizes that wrap around when they are added carelessly. */

Test(note, sizes_in_a_note) {
    file good = empty_file();
    add_note(&good, "Tenon", 1, GOOD, sizeof GOOD);
    const char *const beyond = "damaged: an ELF note goes beyond its segment";
    static const uint32_t sizes[] = {UINT32_MAX, UINT32_MAX - 3, UINT32_MAX - 11, 0x80000000u};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        file f = good;
        memcpy(f.notes, &sizes[i], 4);
        expect_corrupt(&f, beyond);
        f = good;
        memcpy(f.notes + 4, &sizes[i], 4);
        expect_corrupt(&f, beyond);
    }
}

Test(note, sizes_in_the_headers) {
    file good = empty_file();
    add_note(&good, "Tenon", 1, GOOD, sizeof GOOD);
    char cut[64];
    sprintf(cut, "damaged: the file is cut short at %zu bytes", size_of(&good));
    static const uint64_t wide[] = {UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63, 4096};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        file f = good;
        f.segments[0].p_offset = wide[i];
        expect_corrupt(&f, cut);
        f = good;
        f.segments[0].p_filesz = wide[i];
        expect_corrupt(&f, cut);
        f = good;
        f.header.e_phoff = wide[i];
        expect_corrupt(&f, "damaged: the program headers lie beyond the end of the file");
        f = good;
        f.segments[1].p_type = PT_LOAD;
        f.segments[1].p_filesz = wide[i];
        f.header.e_phnum = 2;
        expect_corrupt(&f, cut);
        f = good;
        f.header.e_shoff = wide[i];
        f.header.e_shnum = 1;
        f.header.e_shentsize = 64;
        expect_corrupt(&f, cut);
    }
    file f = good;
    f.header.e_phnum = PN_XNUM;
    expect_corrupt(&f, "damaged: 65535 program headers of 56 bytes");
    f = good;
    f.header.e_phentsize = 32;
    expect_corrupt(&f, "damaged: 1 program headers of 32 bytes");
}

/* Notes that are aligned to 8 bytes have their padding elsewhere. */
Test(note, alignment_of_eight) {
    file f = empty_file();
    tn_identity identity;
    const Elf64_Nhdr property = {.n_namesz = 4, .n_descsz = 16, .n_type = 5};
    memcpy(f.notes, &property, sizeof property);
    memcpy(f.notes + 12, "GNU", 4);
    const Elf64_Nhdr note = {.n_namesz = 6, .n_descsz = sizeof GOOD, .n_type = 1};
    memcpy(f.notes + 32, &note, sizeof note);
    memcpy(f.notes + 44, "Tenon", 6);
    memcpy(f.notes + 56, GOOD, sizeof GOOD);
    f.notes_size = 56 + (sizeof GOOD + 7) / 8 * 8;
    f.segments[0].p_filesz = f.notes_size;
    f.segments[0].p_align = 8;
    cr_expect_eq(read_file(&f, &identity), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(identity.name, "n");
}

/* How much of a file must be read before its note can be. */
Test(note, extent) {
    file f = empty_file();
    add_note(&f, "Tenon", 1, GOOD, sizeof GOOD);
    const uint64_t size = size_of(&f);
    cr_expect_eq(tni_note_extent(&f, sizeof f.header, size),
                 sizeof f.header + sizeof f.segments[0]);
    cr_expect_eq(tni_note_extent(&f, size, size), size);
    cr_expect_eq(tni_note_extent(&f, size, size + 1000), size);
    cr_expect_eq(tni_note_extent("text", 4, 4), 4u);
    /* What lies beyond the file is not asked for. */
    f.segments[0].p_filesz = UINT64_MAX;
    cr_expect_leq(tni_note_extent(&f, size, size), size);
    /* A part of the file is not taken for all of it. */
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    f.segments[0].p_filesz = f.notes_size;
    cr_expect_eq(tni_note_read(&f, size - 8, size, &identity), TN_CORRUPT);
    cr_expect_str_eq(tn_error_message(), "damaged: the ELF notes lie beyond the bytes at hand");
}

/* The macro and the reader agree about the longest texts. */
Test(note, longest_texts) {
    char content[1024];
    char name[128], version[64];
    memset(name, 'n', sizeof name - 1);
    memset(version, 'v', sizeof version - 1);
    name[sizeof name - 1] = version[sizeof version - 1] = '\0';
    size_t used = (size_t)sprintf(content, "name=%s", name) + 1;
    used += (size_t)sprintf(content + used, "version=%s", version) + 1;
    static const char rest[] =
        "contract=0.1\0needs=1\0requires=\0optional=\0sanitizer=none\0toolchain=cc";
    memcpy(content + used, rest, sizeof rest);
    file f = empty_file();
    tn_identity identity;
    add_note(&f, TN_NOTE_OWNER, TN_NOTE_TYPE, content, used + sizeof rest);
    cr_assert_eq(read_file(&f, &identity), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(identity.name, name);
    cr_expect_str_eq(identity.version, version);
}
