#include "plugin/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

bool tni_is_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool tni_is_unchanged(const struct stat *a, const struct stat *b) {
    return tni_is_same_file(a, b) && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Root is whoever owns "/": inside a user name space that may be shown as another number. */
static bool owner_is_trusted(uid_t owner) {
    struct stat root;
    return owner == 0 || owner == geteuid() || (stat("/", &root) == 0 && owner == root.st_uid);
}

/* `sticky_is_safe`: for a directory, where the sticky bit keeps others from replacing a file. */
static tn_status check_one(const char *path, const struct stat *status, bool is_directory,
                           char *remedy, size_t remedy_size) {
    const char *what = is_directory ? "the directory" : "the file";
    const bool others_write = (status->st_mode & S_IWOTH) != 0;
    const bool sticky = is_directory && (status->st_mode & S_ISVTX) != 0;
    if (others_write && !sticky) {
        snprintf(remedy, remedy_size,
                 "chmod o-w %s, or allow it (TN_LOAD_ALLOW_WRITABLE; --allow-writable)", path);
        return tni_fail(TN_DENIED, "%s %s can be written by every user (mode %04o)", what, path,
                        (unsigned)(status->st_mode & 07777));
    }
    if (!owner_is_trusted(status->st_uid)) {
        snprintf(remedy, remedy_size,
                 "give %s to root or to the user, or allow it (TN_LOAD_ALLOW_WRITABLE; "
                 "--allow-writable)",
                 path);
        return tni_fail(TN_DENIED, "%s %s belongs to user %u, who is neither root nor this user",
                        what, path, (unsigned)status->st_uid);
    }
    return TN_OK;
}

tn_status tni_trust_check(const char *real_path, const struct stat *status, char *remedy,
                          size_t remedy_size) {
    TNI_TRY(check_one(real_path, status, false, remedy, remedy_size));
    char path[PATH_MAX];
    const size_t size = strlen(real_path);
    if (size >= sizeof path) {
        return tni_fail(TN_DENIED, "its path is longer than %d bytes", PATH_MAX - 1);
    }
    memcpy(path, real_path, size + 1);
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        *slash = '\0';
        const char *directory = path[0] != '\0' ? path : "/";
        struct stat above;
        if (lstat(directory, &above) != 0 || !S_ISDIR(above.st_mode)) {
            return tni_fail(TN_DENIED, "the directory %s could not be examined (error %d)",
                            directory, errno);
        }
        TNI_TRY(check_one(directory, &above, true, remedy, remedy_size));
    }
    return TN_OK;
}
