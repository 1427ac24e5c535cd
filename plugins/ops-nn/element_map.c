#include "element_map.h"

#include "element_block.h"
#include "size.h"

typedef struct map_range {
    const element_map *map;
    element_array from;
    element_array to;
} map_range;

#include "real_float.h"

#include "element_map_template.h"

#include "real_double.h"

#include "element_map_template.h"

tn_status run_element_map(const tn_run_call *call, const element_map *map) {
    map_range range = {map, elements_of(call->inputs[0]), elements_of(call->outputs[0])};
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), GRAIN_ELEMENTS,
                    range.from.dtype == TN_F64 ? map_f64 : map_f32, &range);
    return TN_OK;
}
