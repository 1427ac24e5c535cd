#include "weights_layout.h"

/* The layout that part `part` likes best. */
static tn_status ask_layout(const tn_host *host, const window_job *job, int64_t part,
                            const dnnl_memory_desc_t *any, dnnl_memory_desc_t *packed) {
    row_part rows;
    dnnl_primitive_desc_t descriptor;
    *packed = *any;
    TN_TRY(window_job_describe(host, job, part, &rows, &descriptor));
    *packed = *dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 0);
    dnnl_primitive_desc_destroy(descriptor);
    return TN_OK;
}

/* Whether the library has a tuned implementation for every part with the layout in force; where it
 * has none it takes its reference, which is hundreds of times slower. */
static tn_status is_tuned(const tn_host *host, const window_job *job, int *out_is_tuned) {
    *out_is_tuned = 1;
    for (int64_t part = 0; *out_is_tuned && part < job->split.parts; part++) {
        row_part rows;
        dnnl_primitive_desc_t descriptor;
        const char *name = "";
        TN_TRY(window_job_describe(host, job, part, &rows, &descriptor));
        dnnl_primitive_desc_query(descriptor, dnnl_query_impl_info_str, 0, &name);
        *out_is_tuned = strncmp(name, "ref", 3) != 0;
        dnnl_primitive_desc_destroy(descriptor);
    }
    return TN_OK;
}

tn_status choose_weights_layout(const tn_host *host, window_job *job, const dnnl_memory_desc_t *any,
                                dnnl_memory_desc_t *packed) {
    const int64_t parts = job->split.parts;
    for (int64_t part = 0; part < parts; part++) {
        int is_good;
        TN_TRY(ask_layout(host, job, part, any, packed));
        TN_TRY(is_tuned(host, job, &is_good));
        if (is_good) {
            return TN_OK;
        }
    }
    job->split.parts = 1;
    return ask_layout(host, job, 0, any, packed);
}
