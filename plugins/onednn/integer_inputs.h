/* The tensors of operators on 8-bit integers: where they are, and what they say. */
#ifndef ONEDNN_INTEGER_INPUTS_H
#define ONEDNN_INTEGER_INPUTS_H

#include "integer_sums.h"
#include "onednn.h"

/* By number of the input; -1: the operator has none such. The data of a product of matrices is the
 * left one, the weight the right one. */
typedef struct integer_inputs {
    int32_t data, data_scale, data_zero, weight, weight_scale, weight_zero, scale, zero, bias;
} integer_inputs;

static inline const tn_view *view_at(const tn_view *const *views, uint32_t count, int32_t place) {
    return place < 0 || (uint32_t)place >= count ? NULL : views[place];
}

static inline int is_byte(tn_dtype dtype) {
    return dtype == TN_I8 || dtype == TN_U8;
}

/* Whether the library's sums are exact here. */
static inline int sums_are_exact(void) {
    return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_vnni) ==
           dnnl_cpu_isa_avx512_core_vnni;
}

/* Zero point or scale `index`, or the only one; an absent zero point is 0. */
int32_t zero_at(const tn_view *view, int64_t index);
float scale_at(const tn_view *view, int64_t index);

/* Where an 8-bit dtype ends, less the zero point. */
quantised_ends ends_of(tn_dtype dtype, const tn_view *zero_point);

#endif
