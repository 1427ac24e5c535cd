#include "head_layout.h"

tn_status head_layout_of(const tn_host *host, int32_t rank, const int64_t *extents, int64_t heads,
                         head_layout *out_layout) {
    if (rank == 4) {
        *out_layout = (head_layout){extents[0], extents[1], extents[2], extents[3], 0};
        return TN_OK;
    }
    if (rank != 3) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "a tensor of heads has %d axes, expected 3 or 4",
                       (int)rank);
    }
    if (heads < 1 || (extents[2] >= 0 && extents[2] % heads != 0)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%lld features do not form %lld heads",
                       (long long)extents[2], (long long)heads);
    }
    *out_layout = (head_layout){extents[0], heads, extents[1],
                                extents[2] < 0 ? TN_UNKNOWN : extents[2] / heads, 1};
    return TN_OK;
}
