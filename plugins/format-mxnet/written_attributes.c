#include <stdlib.h>

#include "dtype.h"
#include "upgrade.h"
#include "variable_type.h"
#include "written_attributes.h"

enum { DTYPE_TEXT_SIZE = 16, UNDERSCORES = 4 };

struct collector {
    struct written_attributes *attributes;
    char *text; /* where the next text goes */
};

static void add(struct collector *collector, const char *name, const char *value) {
    struct written_attributes *attributes = collector->attributes;
    attributes->items[attributes->count] =
        (struct written_attribute){name, value, attributes->count};
    attributes->count++;
}

/* An operator of MXNet refuses attributes that it does not know, unless their names say that they
 * are not meant for it. */
static const char *annotation_name(struct collector *collector, const tn_node_info *info,
                                   const char *name) {
    if (info->op == NULL || upgrade_is_annotation(name)) {
        return name;
    }
    char *hidden = collector->text;
    const size_t size = strlen(name) + UNDERSCORES + 1;
    snprintf(hidden, size, "__%s__", name);
    collector->text += size;
    return hidden;
}

static void add_type(struct collector *collector, const tn_tensor_type *type,
                     int32_t numpy_shapes) {
    const int32_t dtype = dtype_to_mxnet(type->dtype);
    if (dtype >= 0) {
        snprintf(collector->text, DTYPE_TEXT_SIZE, "%d", dtype);
        add(collector, DTYPE_ATTRIBUTE, collector->text);
        collector->text += DTYPE_TEXT_SIZE;
    }
    if (tn_storage_is_sparse(type->storage)) {
        add(collector, STORAGE_ATTRIBUTE, type->storage == TN_STORAGE_CSR ? "2" : "1");
    }
    if (type->shape.rank >= 0) {
        shape_to_text(&type->shape, numpy_shapes, collector->text);
        add(collector, SHAPE_ATTRIBUTE, collector->text);
        collector->text += SHAPE_TEXT_SIZE;
    }
}

static int compare(const void *left, const void *right) {
    const struct written_attribute *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->rank < b->rank ? -1 : 1;
}

static void sort_and_drop_doubles(struct written_attributes *attributes) {
    qsort(attributes->items, attributes->count, sizeof attributes->items[0], compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (kept == 0 || strcmp(attributes->items[kept - 1].name, attributes->items[i].name) != 0) {
            attributes->items[kept++] = attributes->items[i];
        }
    }
    attributes->count = kept;
}

tn_status written_attributes_create(const tn_host *host, const tn_node_info *info,
                                    const tn_tensor_type *type, int32_t numpy_shapes,
                                    struct written_attributes *out_attributes) {
    const uint64_t most = (uint64_t)info->attribute_count + info->annotation_count + 3;
    uint64_t text_bytes = DTYPE_TEXT_SIZE + SHAPE_TEXT_SIZE;
    for (uint32_t i = 0; i < info->annotation_count; i++) {
        text_bytes += strlen(info->annotations[i].name) + UNDERSCORES + 1;
    }
    void *memory;
    TN_TRY(tn_allocate(host, most * sizeof(struct written_attribute) + text_bytes, 1, &memory));
    struct written_attributes attributes = {memory, 0};
    struct collector collector = {&attributes, (char *)(attributes.items + most)};
    if (type != NULL) {
        add_type(&collector, type, numpy_shapes);
    }
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        add(&collector, info->attributes[i].name, info->attributes[i].value);
    }
    for (uint32_t i = 0; i < info->annotation_count; i++) {
        const tn_option *annotation = &info->annotations[i];
        add(&collector, annotation_name(&collector, info, annotation->name), annotation->value);
    }
    sort_and_drop_doubles(&attributes);
    *out_attributes = attributes;
    return TN_OK;
}

void written_attributes_destroy(const tn_host *host, struct written_attributes *attributes) {
    tn_free(host, attributes->items);
}
