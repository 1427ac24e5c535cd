/*
 * The cache of compiled pipelines on disk, in $TENON_CACHE_DIR, $XDG_CACHE_HOME/tenon or
 * ~/.cache/tenon. It saves time and nothing else: whatever is wrong with a file or a folder is said
 * in the log, and the device works without.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_file.h"
#include "kernels.h"

enum { PATH_SIZE = 3840 };

/* ---- Where ---- */

/* The folder, or 0 when nothing says where it is. */
static int cache_folder(char *path, size_t size) {
    const char *own = secure_getenv("TENON_CACHE_DIR");
    const char *shared = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    int length = -1;
    if (own != NULL && own[0] != '\0') {
        length = snprintf(path, size, "%s", own);
    } else if (shared != NULL && shared[0] == '/') {
        length = snprintf(path, size, "%s/tenon", shared);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, size, "%s/.cache/tenon", home);
    }
    return length > 0 && (size_t)length < size;
}

static int cache_path(const vulkan_device *device, char *path, size_t size) {
    char name[128], folder[PATH_SIZE];
    vulkan_cache_file_name(device->physical, name, sizeof name);
    if (!cache_folder(folder, sizeof folder)) {
        return 0;
    }
    const int length = snprintf(path, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size;
}

/* Makes the folders that lead to the file. */
static void make_folders(char *path) {
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700); /* what is missing then shows when the file is opened */
        *at = '/';
    }
}

/* ---- Reading ---- */

static int read_all(int file, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(file, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return 0;
        }
        done += (size_t)got;
    }
    return 1;
}

/* A driver trusts the bytes: nobody else may have written them. */
static const char *owner_refusal(const struct stat *stat) {
    if (!S_ISREG(stat->st_mode)) {
        return "it is not a file";
    }
    if ((stat->st_uid != geteuid() && stat->st_uid != 0) ||
        (stat->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return "others can write it";
    }
    return stat->st_size > VULKAN_CACHE_MAX_BYTES ? "it is too large" : NULL;
}

/* The whole file; NULL when there is none that can be used. */
static void *read_file(const vulkan_device *device, const char *path, size_t *out_size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat stat;
    void *content = NULL;
    if (file < 0) {
        return NULL; /* the first time */
    }
    const char *reason = fstat(file, &stat) != 0 ? "it cannot be read" : owner_refusal(&stat);
    if (reason == NULL) {
        *out_size = (size_t)stat.st_size;
        content = malloc(*out_size + 1);
        reason = content == NULL ? "there is no memory for it"
                 : !read_all(file, content, *out_size)
                     ? "it cannot be read"
                     : vulkan_cache_refusal(device->physical, content, *out_size);
    }
    close(file);
    if (reason != NULL) {
        tn_log(device->host, TN_LOG_WARNING, "vulkan: the pipeline cache '%s' is not used: %s",
               path, reason);
        free(content);
        return NULL;
    }
    return content;
}

static VkResult create_cache(vulkan_device *device, const void *bytes, size_t size,
                             VkPipelineCache *out_cache) {
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = bytes,
    };
    return VK_CALL(device, CreatePipelineCache, device->handle, &info, NULL, out_cache);
}

tn_status vulkan_pipeline_cache_open(vulkan_device *device, VkPipelineCache *out_cache) {
    char path[PATH_SIZE + 128];
    void *content = NULL;
    size_t size = 0;
    VkResult result = VK_ERROR_UNKNOWN;
    if (VULKAN_HAS(device->features, PIPELINE_CACHE) && cache_path(device, path, sizeof path)) {
        content = read_file(device, path, &size);
    }
    if (content != NULL) {
        const size_t header = sizeof(vulkan_cache_header);
        const char *bytes = (const char *)content + header;
        result = create_cache(device, bytes, size - header, out_cache);
        device->kernels->cache_loaded =
            result == VK_SUCCESS ? vulkan_checksum(bytes, size - header) : 0;
    }
    if (result != VK_SUCCESS) {
        result = create_cache(device, NULL, 0, out_cache);
    }
    free(content);
    if (result != VK_SUCCESS) {
        *out_cache = VK_NULL_HANDLE;
        return vulkan_fail(device, "vkCreatePipelineCache", result);
    }
    return TN_OK;
}

/* ---- Writing ---- */

static int write_all(int file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(file, (const char *)bytes + done, size - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return 0;
        }
        done += (size_t)put;
    }
    return 1;
}

/* Beside the file and then in its place, so that whoever reads sees the old or the new, whole. */
static int write_file(const char *path, const vulkan_cache_header *header, const void *bytes) {
    char beside[PATH_SIZE + 192];
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    (void)unlink(beside); /* left behind by a process of the same number */
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return 0;
    }
    int is_written = write_all(file, header, sizeof *header) &&
                     write_all(file, bytes, (size_t)header->size) && fsync(file) == 0;
    is_written = close(file) == 0 && is_written && rename(beside, path) == 0;
    if (!is_written) {
        (void)unlink(beside);
    }
    return is_written;
}

static void save(vulkan_device *device, VkPipelineCache cache, char *path) {
    size_t size = 0;
    VkResult result = VK_CALL(device, GetPipelineCacheData, device->handle, cache, &size, NULL);
    void *bytes = result == VK_SUCCESS && size > 0 && size <= VULKAN_CACHE_MAX_BYTES / 2
                      ? malloc(size)
                      : NULL;
    if (bytes == NULL) {
        return;
    }
    result = VK_CALL(device, GetPipelineCacheData, device->handle, cache, &size, bytes);
    if (result == VK_SUCCESS) {
        const vulkan_cache_header header = vulkan_cache_header_of(device->physical, bytes, size);
        make_folders(path);
        if (header.checksum != device->kernels->cache_loaded && !write_file(path, &header, bytes)) {
            tn_log(device->host, TN_LOG_WARNING,
                   "vulkan: the pipeline cache '%s' cannot be written: %s", path, strerror(errno));
        }
    }
    free(bytes);
}

void vulkan_pipeline_cache_close(vulkan_device *device, VkPipelineCache cache) {
    char path[PATH_SIZE + 128];
    if (cache == VK_NULL_HANDLE) {
        return;
    }
    if (VULKAN_HAS(device->features, PIPELINE_CACHE) && atomic_load(&device->lost) == 0 &&
        atomic_load(&device->statistics.pipelines) > 0 && cache_path(device, path, sizeof path)) {
        save(device, cache, path);
    }
    device->vk.DestroyPipelineCache(device->handle, cache, NULL);
}
