/* The plugin "onednn": kernels for the CPU by way of Intel's oneDNN library. */
#include "convolution.h"
#include "deconvolution.h"
#include "integer_convolution.h"
#include "integer_matmul.h"
#include "pooling.h"
#include "products.h"
#include "program.h"
#include "rows.h"

tn_status onednn_check(const tn_host *host, dnnl_status_t status, const char *call) {
    switch (status) {
    case dnnl_success: return TN_OK;
    case dnnl_out_of_memory:
        return tn_fail(host, TN_OUT_OF_MEMORY, "oneDNN has no memory: %s", call);
    case dnnl_unimplemented:
        return tn_fail(host, TN_UNSUPPORTED, "oneDNN has no implementation: %s", call);
    default:
        return tn_fail(host, TN_INTERNAL, "oneDNN fails with status %d: %s", (int)status, call);
    }
}

tn_status onednn_attributes(const tn_host *host, dnnl_primitive_attr_t *out_attributes) {
    ONEDNN_TRY(host, dnnl_primitive_attr_create(out_attributes));
    dnnl_primitive_attr_set_scratchpad_mode(*out_attributes, dnnl_scratchpad_mode_user);
    return TN_OK;
}

tn_status onednn_describe(const tn_host *host, const void *wanted, const char *what,
                          dnnl_primitive_desc_t *out) {
    dnnl_primitive_attr_t attributes;
    TN_TRY(onednn_attributes(host, &attributes));
    const dnnl_status_t status =
        dnnl_primitive_desc_create(out, wanted, attributes, onednn_library_of(host)->engine, NULL);
    dnnl_primitive_attr_destroy(attributes);
    return onednn_check(host, status, what);
}

void channels_last_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs) {
    (void)query;
    inputs[0] = outputs[0] = TN_LAYOUT_CHANNELS_LAST;
}

static void destroy_library(const tn_host *host, onednn_library *library) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    dnnl_stream_destroy(library->stream);
    dnnl_engine_destroy(library->engine);
    memory->free(host, library);
}

static tn_status create_library(const tn_host *host, onednn_library **out_library) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    onednn_library *library = memory->allocate(host, sizeof *library);
    if (library == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the library's engine");
    }
    *library = (onednn_library){NULL, NULL};
    dnnl_status_t status = dnnl_engine_create(&library->engine, dnnl_cpu, 0);
    if (status == dnnl_success) {
        status = dnnl_stream_create(&library->stream, library->engine, dnnl_stream_default_flags);
    }
    if (status != dnnl_success) {
        destroy_library(host, library);
        return onednn_check(host, status, "dnnl_engine_create");
    }
    *out_library = library;
    return TN_OK;
}

static tn_status init(tn_host *host) {
    onednn_library *library;
    TN_TRY(create_library(host, &library));
    host->plugin_state = library;
    return TN_OK;
}

static void fini(tn_host *host) {
    destroy_library(host, host->plugin_state);
}

/* What varies besides the functions KEY_supports and KEY_prepare: run and release, the table of
 * attributes with the struct that it fills in, and further fields. */
#define KERNEL(OP, KEY, RUN, RELEASE, FIELDS, COUNT, STRUCT, ...)                                  \
    TN_ENTRY_KERNEL(OP ".onednn", (&(const tn_kernel){.struct_size = TN_KERNEL_SIZE,               \
                                                      .op = OP,                                    \
                                                      .target = "cpu",                             \
                                                      .priority = 200,                             \
                                                      .supports = KEY##_supports,                  \
                                                      .prepare = KEY##_prepare,                    \
                                                      .run = RUN,                                  \
                                                      .release = RELEASE,                          \
                                                      .attributes = FIELDS,                        \
                                                      .attribute_count = COUNT,                    \
                                                      .attribute_stride = TN_ATTRIBUTE_STRIDE,     \
                                                      .attributes_size = sizeof(STRUCT),           \
                                                      __VA_ARGS__}))

#define WINDOW(OP, KEY, COUNT, LAYOUTS)                                                            \
    KERNEL(OP, KEY, program_run, program_release, KEY##_fields, COUNT, KEY##_attributes,           \
           .layouts = LAYOUTS)
#define INTEGER_CONVOLUTION(OP)                                                                    \
    KERNEL(OP, integer_convolution, integer_convolution_run, integer_convolution_release,          \
           integer_convolution_fields, INTEGER_CONVOLUTION_FIELD_COUNT,                            \
           integer_convolution_attributes, .layouts = channels_last_layouts)

#define INTEGER_MATMUL(OP)                                                                         \
    KERNEL(OP, integer_matmul, integer_matmul_run, integer_matmul_release, NULL, 0, char,          \
           .layouts = NULL)

/* Those that multiply matrices, or compute rows, take and give row-major tensors. */
#define PRODUCT(OP, KEY, FIELDS, COUNT)                                                            \
    KERNEL(OP, KEY, program_run, program_release, FIELDS, COUNT, product_attributes,               \
           .layouts = NULL)
#define ROWS(OP, KEY, COUNT)                                                                       \
    KERNEL(OP, KEY, program_run, program_release, KEY##_fields, COUNT, rows_attributes,            \
           .in_place = rows_in_place, .in_place_count = 1)

static const tn_in_place rows_in_place[] = {{0, 0}};

static const tn_entry entries[] = {
    WINDOW("Convolution", convolution, CONVOLUTION_FIELD_COUNT, convolution_layouts),
    WINDOW("fused_convolution", convolution, FUSED_CONVOLUTION_FIELD_COUNT, convolution_layouts),
    WINDOW("Deconvolution", deconvolution, DECONVOLUTION_FIELD_COUNT, channels_last_layouts),
    WINDOW("Pooling", pooling, POOLING_FIELD_COUNT, channels_last_layouts),
    INTEGER_CONVOLUTION("onnx.ConvInteger"),
    INTEGER_CONVOLUTION("onnx.QLinearConv"),
    INTEGER_MATMUL("onnx.MatMulInteger"),
    INTEGER_MATMUL("onnx.QLinearMatMul"),
    PRODUCT("FullyConnected", fully_connected, fully_connected_fields, FULLY_CONNECTED_FIELD_COUNT),
    PRODUCT("batch_dot", batch_dot, batch_dot_fields, BATCH_DOT_FIELD_COUNT),
    PRODUCT("onnx.MatMul", matmul, NULL, 0),
    PRODUCT("onnx.Gemm", gemm, gemm_fields, GEMM_FIELD_COUNT),
    ROWS("softmax", softmax, SOFTMAX_FIELD_COUNT),
    ROWS("LayerNorm", layer_norm, LAYER_NORM_FIELD_COUNT),
};

TN_PLUGIN_WITH("onednn", "0.1.0", "error/1,memory/1", "parallel/1", init, fini, entries);
