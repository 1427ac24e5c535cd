#include "families.h"

const struct onnx_mapping *onnx_find_mapping(const char *op, int64_t version, int64_t *out_first) {
#define FAMILY_ITEM(FAMILY) FAMILY##_mappings,
    static const struct onnx_mapping *const families[] = {MAPPING_FAMILIES(FAMILY_ITEM)};
#undef FAMILY_ITEM
    const struct onnx_mapping *best = NULL;
    *out_first = 0;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (const struct onnx_mapping *row = families[i]; row->op != NULL; row++) {
            if (strcmp(row->op, op) != 0) {
                continue;
            }
            if (*out_first == 0 || row->since < *out_first) {
                *out_first = row->since;
            }
            if (row->since <= version && (best == NULL || row->since > best->since)) {
                best = row;
            }
        }
    }
    return best;
}
