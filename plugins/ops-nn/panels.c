#include "panels.h"

#include "element_block.h"

#define TERMS_AT_ONCE 64

#include "real_float.h"

#include "panels_template.h"

#include "real_double.h"

#include "panels_template.h"

uint64_t panel_size(tn_dtype dtype, int64_t depth, int64_t width) {
    return size_multiply((uint64_t)depth, (uint64_t)width * real_size(dtype));
}

uint64_t panels_size(tn_dtype dtype, int64_t count, int64_t depth, int64_t width) {
    return size_multiply((uint64_t)divide_up(count, width), panel_size(dtype, depth, width));
}

void panels_pack(const matrix_operand *operand, int64_t depth, int64_t width, int64_t begin,
                 int64_t end, void *panels) {
    for (int64_t i = begin; i < end; i++) {
        if (operand->dtype == TN_F64) {
            pack_panel_f64(operand, depth, width, i * width, (double *)panels + i * width * depth);
        } else {
            pack_panel_f32(operand, depth, width, i * width, (float *)panels + i * width * depth);
        }
    }
}
