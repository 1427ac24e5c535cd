/* The attributes of a node as a symbol file lists them: the operator's, the annotations, and the
 * type of a variable, in one dictionary that is sorted by name. */
#ifndef FORMAT_MXNET_WRITTEN_ATTRIBUTES_H
#define FORMAT_MXNET_WRITTEN_ATTRIBUTES_H

#include <tenon/plugin.h>

struct written_attribute {
    const char *name;
    const char *value;
    uint32_t rank; /* of two with one name, the one with the lower rank is meant */
};

struct written_attributes {
    struct written_attribute *items; /* also owns the texts made here */
    uint32_t count;
};

/* `type` is NULL for a node that is no variable. Borrows the texts of `info`. */
tn_status written_attributes_create(const tn_host *host, const tn_node_info *info,
                                    const tn_tensor_type *type, int32_t numpy_shapes,
                                    struct written_attributes *out_attributes);
void written_attributes_destroy(const tn_host *host, struct written_attributes *attributes);

#endif
