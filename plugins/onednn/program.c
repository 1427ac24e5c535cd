#include "program.h"

#include "half.h"

#include <omp.h>

#define ALIGNMENT 64

static uint64_t aligned(uint64_t size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

tn_status program_create(tn_prepare_call *call, uint32_t item_count, program **out_program) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const uint64_t size = sizeof(program) + (uint64_t)item_count * sizeof(program_item);
    program *made = memory->allocate(call->host, size);
    if (made == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for a program of %u items",
                       (unsigned)item_count);
    }
    memset(made, 0, size);
    made->item_count = item_count;
    *out_program = made;
    return TN_OK;
}

static void destroy_item(const program *made, program_item *item) {
    for (int32_t i = 0; i < item->argument_count; i++) {
        if (item->handed[i].memory != made->packed) {
            dnnl_memory_destroy(item->handed[i].memory);
        }
    }
}

void program_destroy(const tn_host *host, program *made) {
    if (made == NULL) {
        return;
    }
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    for (uint32_t i = 0; i < made->item_count; i++) {
        destroy_item(made, &made->items[i]);
    }
    for (uint32_t i = 0; i < made->primitive_count; i++) {
        dnnl_primitive_destroy(made->primitives[i]);
    }
    dnnl_primitive_destroy(made->packing);
    dnnl_memory_destroy(made->packed);
    dnnl_memory_destroy(made->unpacked);
    memory->free(host, made->packed_data);
    memory->free(host, made);
}

tn_status program_add_primitive(const tn_host *host, program *made,
                                const_dnnl_primitive_desc_t descriptor,
                                dnnl_primitive_t *out_primitive) {
    if (made->primitive_count == PROGRAM_MAX_PRIMITIVES) {
        return tn_fail(host, TN_INTERNAL, "the program has %d primitives already",
                       PROGRAM_MAX_PRIMITIVES);
    }
    ONEDNN_TRY(host, dnnl_primitive_create(out_primitive, descriptor));
    made->primitives[made->primitive_count++] = *out_primitive;
    const dnnl_memory_desc_t *scratchpad =
        dnnl_primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0);
    const uint64_t size = scratchpad == NULL ? 0 : dnnl_memory_desc_get_size(scratchpad);
    const uint64_t rounded = aligned(size);
    made->scratchpad_size = rounded > made->scratchpad_size ? rounded : made->scratchpad_size;
    return TN_OK;
}

tn_status program_add_argument(const tn_host *host, program_item *item, int id,
                               const dnnl_memory_desc_t *descriptor, program_argument argument) {
    dnnl_memory_t memory;
    ONEDNN_TRY(host, dnnl_memory_create(&memory, descriptor, onednn_library_of(host)->engine,
                                        DNNL_MEMORY_NONE));
    argument.own_place = item->own_size;
    item->own_size += aligned((uint64_t)argument.own_count * sizeof(float));
    item->arguments[item->argument_count] = argument;
    item->handed[item->argument_count++] = (dnnl_exec_arg_t){id, memory};
    return TN_OK;
}

void program_add_packed(const program *made, program_item *item, int id) {
    item->arguments[item->argument_count] = (program_argument){.owner = ARGUMENT_OWN};
    item->handed[item->argument_count++] = (dnnl_exec_arg_t){id, made->packed};
}

static tn_status pack(const tn_host *host, const program *made, void *weights) {
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, made->unpacked},
                                         {DNNL_ARG_TO, made->packed}};
    ONEDNN_TRY(host, dnnl_memory_set_data_handle(made->unpacked, weights));
    ONEDNN_TRY(
        host, dnnl_primitive_execute(made->packing, onednn_library_of(host)->stream, 2, arguments));
    return TN_OK;
}

static tn_status pack_halves(const tn_host *host, const program *made, const tn_view *weights) {
    const int64_t count = tn_element_count(weights);
    float *floats = TN_SERVICE(host, memory)->allocate(host, (uint64_t)count * sizeof *floats);
    if (floats == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld weights as float32",
                       (long long)count);
    }
    floats_from_halves(tn_data(weights), count, floats);
    const tn_status status = pack(host, made, floats);
    TN_SERVICE(host, memory)->free(host, floats);
    return status;
}

/* Uint8 around 128 as int8 around 0. */
static tn_status pack_centred(const tn_host *host, const program *made, const tn_view *weights) {
    const int64_t count = tn_element_count(weights);
    const uint8_t *from = tn_data(weights);
    uint8_t *turned = TN_SERVICE(host, memory)->allocate(host, (uint64_t)count);
    if (turned == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld weights as int8",
                       (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        turned[i] = from[i] ^ 0x80;
    }
    const tn_status status = pack(host, made, turned);
    TN_SERVICE(host, memory)->free(host, turned);
    return status;
}

static tn_status create_packing(const tn_host *host, program *made, const dnnl_memory_desc_t *plain,
                                const dnnl_memory_desc_t *packed) {
    const dnnl_engine_t engine = onednn_library_of(host)->engine;
    dnnl_primitive_desc_t descriptor;
    ONEDNN_TRY(host, dnnl_memory_create(&made->unpacked, plain, engine, DNNL_MEMORY_NONE));
    ONEDNN_TRY(host, dnnl_memory_create(&made->packed, packed, engine, made->packed_data));
    ONEDNN_TRY(
        host, dnnl_reorder_primitive_desc_create(&descriptor, plain, engine, packed, engine, NULL));
    const dnnl_status_t status = dnnl_primitive_create(&made->packing, descriptor);
    dnnl_primitive_desc_destroy(descriptor);
    return onednn_check(host, status, "dnnl_primitive_create of the packing");
}

tn_status program_pack(tn_prepare_call *call, program *made, uint32_t input,
                       const dnnl_memory_desc_t *plain, const dnnl_memory_desc_t *packed) {
    const tn_host *host = call->host;
    const size_t size = dnnl_memory_desc_get_size(packed);
    made->packed_data = TN_SERVICE(host, memory)->allocate(host, size);
    if (made->packed_data == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %zu bytes of packed weights", size);
    }
    made->packed_input = input;
    made->packs_each_run = call->inputs[input]->data == NULL;
    TN_TRY(create_packing(host, made, plain, packed));
    if (made->packs_each_run) {
        return TN_OK;
    }
    switch (call->inputs[input]->dtype) {
    case TN_F16: return pack_halves(host, made, call->inputs[input]);
    case TN_U8: return pack_centred(host, made, call->inputs[input]);
    default: return pack(host, made, tn_data(call->inputs[input]));
    }
}

void program_finish(tn_prepare_call *call, program *made) {
    uint64_t own_size = 0;
    for (uint32_t i = 0; i < made->item_count; i++) {
        const uint64_t own = made->items[i].own_size;
        own_size = own > own_size ? own : own_size;
    }
    made->item_size = made->scratchpad_size + own_size;
    call->workspace_size = made->item_size * made->item_count;
    call->state = made;
}

typedef struct program_job {
    const tn_run_call *call;
    program *made;
    program_after *after;
    const void *context;
    _Atomic(dnnl_status_t) status;
} program_job;

/* The memory of the node's that an argument is, or that it is converted from or to. */
static void *outer_address(const tn_run_call *call, const program *made, uint32_t item,
                           program_argument argument) {
    switch (argument.owner) {
    case ARGUMENT_INPUT: return (char *)tn_data(call->inputs[argument.index]) + argument.offset;
    case ARGUMENT_OUTPUT: return (char *)tn_data(call->outputs[argument.index]) + argument.offset;
    default: return (char *)call->workspace + call->workspace_offset + item * made->item_size;
    }
}

static void *address_of(const tn_run_call *call, const program *made, uint32_t item,
                        program_argument argument) {
    if (argument.own_count == 0) {
        return outer_address(call, made, item, argument);
    }
    char *own = (char *)call->workspace + call->workspace_offset + item * made->item_size;
    return own + made->scratchpad_size + argument.own_place;
}

/* Converts the arguments of float16 that the node's inputs, or its outputs, are. */
static void convert_halves(const tn_run_call *call, const program *made, uint32_t number,
                           int32_t owner) {
    const program_item *item = &made->items[number];
    for (int32_t i = 0; i < item->argument_count; i++) {
        const program_argument argument = item->arguments[i];
        if (argument.own_count > 0 && argument.owner == owner) {
            uint16_t *halves = outer_address(call, made, number, argument);
            float *floats = address_of(call, made, number, argument);
            if (owner == ARGUMENT_INPUT) {
                floats_from_halves(halves, argument.own_count, floats);
            } else {
                halves_from_floats(floats, argument.own_count, halves);
            }
        }
    }
}

static dnnl_status_t run_item(const tn_run_call *call, program *made, uint32_t number) {
    program_item *item = &made->items[number];
    for (int32_t i = 0; i < item->argument_count; i++) {
        if (item->arguments[i].owner != ARGUMENT_OWN) {
            const dnnl_status_t status = dnnl_memory_set_data_handle(
                item->handed[i].memory, address_of(call, made, number, item->arguments[i]));
            if (status != dnnl_success) {
                return status;
            }
        }
    }
    convert_halves(call, made, number, ARGUMENT_INPUT);
    const dnnl_status_t status = dnnl_primitive_execute(
        item->primitive, onednn_library_of(call->host)->stream, item->argument_count, item->handed);
    convert_halves(call, made, number, ARGUMENT_OUTPUT);
    return status;
}

static void run_items(void *context, int64_t begin, int64_t end) {
    program_job *job = context;
    omp_set_num_threads(1);
    for (int64_t i = begin; i < end; i++) {
        const dnnl_status_t status = run_item(job->call, job->made, (uint32_t)i);
        if (status != dnnl_success) {
            job->status = status;
        } else if (job->after != NULL) {
            job->after(job->call, job->made, (uint32_t)i, job->context);
        }
    }
}

void *program_item_memory(const tn_run_call *call, const program *made, uint32_t number, int id) {
    const program_item *item = &made->items[number];
    int32_t i = 0;
    while (item->handed[i].arg != id) {
        i++;
    }
    return address_of(call, made, number, item->arguments[i]);
}

tn_status program_run_items(const tn_run_call *call, program *made, program_after *after,
                            const void *context) {
    program_job job = {
        .call = call, .made = made, .after = after, .context = context, .status = dnnl_success};
    if (made->packs_each_run) {
        omp_set_num_threads(1);
        TN_TRY(pack(call->host, made, tn_data(call->inputs[made->packed_input])));
    }
    tn_parallel_for(call->host, made->item_count, 1, run_items, &job);
    return onednn_check(call->host, job.status, "dnnl_primitive_execute");
}

tn_status program_run(const tn_run_call *call) {
    return program_run_items(call, call->state, NULL, NULL);
}

void program_release(const tn_host *host, void *state) {
    program_destroy(host, state);
}

uint32_t program_thread_count(const tn_host *host) {
    const tn_parallel_service *parallel = TN_SERVICE(host, parallel);
    return parallel == NULL ? 1 : parallel->thread_count(host);
}
