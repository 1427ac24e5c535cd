#include "npy.h"
#include "npz.h"
#include "npz_sparse.h"
#include "zip.h"

#define ARRAY_ENDING ".npy"

/* Each entry is looked for among them. */
enum { MAX_GROUPS = 4096 };

struct reader {
    const tn_host *host;
    const tn_tensor_sink *sink;
    struct npz_group *groups; /* one for each sparse tensor, which is where there is a format */
    uint32_t group_count;
};

/* How long the array's name is: the entry's without the ending. */
static uint32_t array_name_length(const struct zip_entry *entry) {
    const uint32_t ending = sizeof ARRAY_ENDING - 1, length = entry->name_length;
    return length > ending && memcmp(entry->name + length - ending, ARRAY_ENDING, ending) == 0
               ? length - ending
               : length;
}

/* The sparse tensor that the entry is a part of, or NULL. */
static struct npz_group *find_group(const struct reader *reader, const struct zip_entry *entry,
                                    uint32_t *out_part) {
    uint32_t prefix = 0;
    *out_part = npz_part_of(entry->name, array_name_length(entry), &prefix);
    for (uint32_t i = 0; *out_part != NPZ_PART_COUNT && i < reader->group_count; i++) {
        struct npz_group *group = &reader->groups[i];
        if (group->name_length == prefix && memcmp(group->name, entry->name, prefix) == 0) {
            return group;
        }
    }
    return NULL;
}

static tn_status keep_part(const struct reader *reader, struct npz_group *group, uint32_t part,
                           const uint8_t *unpacked, uint64_t size) {
    if (part == NPZ_FORMAT) {
        return npy_read_text(reader->host, unpacked, size, group->format, sizeof group->format);
    }
    if (group->parts[part] != NULL) {
        return tn_fail(reader->host, TN_CORRUPT, "'%.*s%s' is there twice", (int)group->name_length,
                       group->name, npz_part_names[part]);
    }
    return npy_read(reader->host, unpacked, size, &group->parts[part]);
}

static tn_status deliver(const struct reader *reader, const struct zip_entry *entry,
                         uint8_t *target, char *name) {
    const tn_host *host = reader->host;
    const uint8_t *unpacked;
    uint32_t part;
    TN_TRY(zip_unpack(host, entry, target, &unpacked));
    const uint32_t length = array_name_length(entry);
    memcpy(name, entry->name, length);
    name[length] = '\0';
    if (entry->size < NPY_MAGIC_SIZE || memcmp(unpacked, NPY_MAGIC, NPY_MAGIC_SIZE) != 0) {
        tn_log(host, TN_LOG_WARNING, "entry '%.200s' of the .npz file is no array", name);
        return TN_OK;
    }
    struct npz_group *group = find_group(reader, entry, &part);
    if (group != NULL) {
        return keep_part(reader, group, part, unpacked, entry->size);
    }
    tn_tensor *tensor = NULL;
    TN_TRY(npy_read(host, unpacked, entry->size, &tensor));
    const tn_status status = reader->sink->add(reader->sink->context, name, tensor);
    TN_SERVICE(host, tensor)->release(host, tensor);
    return status;
}

static tn_status read_entry(const struct reader *reader, const struct zip_entry *entry) {
    const tn_memory_service *memory = TN_SERVICE(reader->host, memory);
    const uint64_t size = entry->method == ZIP_DEFLATED ? entry->size : 0;
    uint8_t *target = memory->allocate(reader->host, size + entry->name_length + 1);
    if (target == NULL) {
        return tn_fail(reader->host, TN_OUT_OF_MEMORY, "no memory for the %u bytes of entry '%.*s'",
                       (unsigned)entry->size, (int)entry->name_length, entry->name);
    }
    const tn_status status = deliver(reader, entry, target, (char *)target + size);
    memory->free(reader->host, target);
    return status;
}

/* Makes a group of each format there is. */
static tn_status list_groups(struct reader *reader, struct zip_archive archive) {
    const tn_memory_service *memory = TN_SERVICE(reader->host, memory);
    reader->groups = memory->allocate(reader->host, ((uint64_t)archive.entries_left + 1) *
                                                        sizeof *reader->groups);
    if (reader->groups == NULL) {
        return tn_fail(reader->host, TN_OUT_OF_MEMORY, "no memory for a list of %u entries",
                       (unsigned)archive.entries_left);
    }
    while (archive.entries_left > 0) {
        struct zip_entry entry;
        uint32_t prefix = 0;
        TN_TRY(zip_next(reader->host, &archive, &entry));
        if (npz_part_of(entry.name, array_name_length(&entry), &prefix) == NPZ_FORMAT) {
            if (reader->group_count == MAX_GROUPS) {
                return tn_fail(reader->host, TN_UNSUPPORTED,
                               "more than %d sparse tensors in one .npz file", MAX_GROUPS);
            }
            struct npz_group *group = &reader->groups[reader->group_count++];
            memset(group, 0, sizeof *group);
            group->name = entry.name;
            group->name_length = prefix;
        }
    }
    return TN_OK;
}

static tn_status deliver_group(const struct reader *reader, const struct npz_group *group) {
    const tn_host *host = reader->host;
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    const uint32_t length = group->name_length > 0 ? group->name_length - 1 : 0; /* without the / */
    char *name = memory->allocate(host, (uint64_t)length + 1);
    tn_tensor *tensor = NULL;
    if (name == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a name of %u bytes",
                       (unsigned)length);
    }
    memcpy(name, group->name, length);
    name[length] = '\0';
    tn_status status = npz_group_to_tensor(host, group, &tensor);
    if (status == TN_OK) {
        status = reader->sink->add(reader->sink->context, length > 0 ? name : NULL, tensor);
        TN_SERVICE(host, tensor)->release(host, tensor);
    }
    memory->free(host, name);
    return status;
}

static tn_status read_entries(struct reader *reader, struct zip_archive *archive) {
    TN_TRY(list_groups(reader, *archive));
    while (archive->entries_left > 0) {
        struct zip_entry entry;
        TN_TRY(zip_next(reader->host, archive, &entry));
        TN_TRY(read_entry(reader, &entry));
    }
    if (archive->next_header != archive->directory_end) {
        return tn_fail(reader->host, TN_CORRUPT,
                       "byte %llu: the zip directory has more than its entries",
                       (unsigned long long)archive->next_header);
    }
    for (uint32_t i = 0; i < reader->group_count; i++) {
        TN_TRY(deliver_group(reader, &reader->groups[i]));
    }
    return TN_OK;
}

tn_status npz_read(const tn_host *host, const uint8_t *data, uint64_t size,
                   const tn_tensor_sink *sink) {
    struct zip_archive archive;
    struct reader reader = {.host = host, .sink = sink};
    TN_TRY(zip_open(host, data, size, &archive));
    const tn_status status = read_entries(&reader, &archive);
    for (uint32_t i = 0; i < reader.group_count; i++) {
        for (uint32_t part = 0; part < NPZ_PART_COUNT; part++) {
            TN_SERVICE(host, tensor)->release(host, reader.groups[i].parts[part]);
        }
    }
    TN_SERVICE(host, memory)->free(host, reader.groups);
    return status;
}
