/*
 * Reads a plugin's identity from the ELF note in its file. Nothing of the file is trusted, and
 * nothing of it is run: this is a pure function of the bytes.
 *
 * Only program headers are read. A library that can be opened at all has them, while section
 * headers are for linkers: a fallback to them would accept files that the note macro cannot make.
 */
#ifndef TENON_PLUGIN_ELF_NOTE_H
#define TENON_PLUGIN_ELF_NOTE_H

#include <stddef.h>

#include <tenon/plugins.h>

/* How many bytes from the start of the file tni_note_read needs, given the first `size` of them:
 * at least what the headers take, at most `file_size`. */
uint64_t tni_note_extent(const void *data, size_t size, uint64_t file_size);

/*
 * Fills in the identity's texts and numbers (not its verdict, reason and remedy) from the first
 * `size` bytes of a file of `file_size`. Also checks that no segment goes beyond the file: the
 * dynamic linker does not, and would take a signal for a library that is cut short.
 *
 * CORRUPT: not an ELF library, or a note that does not follow its format. NOT_FOUND: a library for
 * this machine, but without a note. INCOMPATIBLE: a library for another kind of machine.
 */
tn_status tni_note_read(const void *data, size_t size, uint64_t file_size,
                        tn_identity *out_identity);

/* What to do about a file that tni_note_read refuses with that status. */
const char *tni_note_remedy(tn_status status);

#endif
