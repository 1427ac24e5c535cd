/*
 * May the code in this file run in this process? A file is trusted when nobody but its owner, the
 * user or root, could have written it or put it there.
 */
#ifndef TENON_PLUGIN_TRUST_H
#define TENON_PLUGIN_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

#include <tenon/api.h>

/* A file is the same file when device and inode are; and it is unchanged when size and time of its
 * last change are, too. */
bool tni_is_same_file(const struct stat *a, const struct stat *b);
bool tni_is_unchanged(const struct stat *a, const struct stat *b);

/*
 * `real_path` is absolute and without symbolic links; `status` is that of the opened file. DENIED,
 * with a reason and a remedy of at most `remedy_size` bytes, unless
 *   - the file belongs to the user or to root and others may not write it, and
 *   - so for every directory above it, except that others may write a sticky one (/tmp), in which
 *     they cannot replace what is not theirs.
 * The write permission of a file's group is left to whoever filled the group.
 */
tn_status tni_trust_check(const char *real_path, const struct stat *status, char *remedy,
                          size_t remedy_size);

#endif
