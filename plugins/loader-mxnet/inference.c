/* Of what types the inputs and outputs of a node are. */
#include "dtype.h"
#include "operators.h"

/* One inference of a node. */
struct inference {
    const struct extension_op *op;
    tn_infer_call *call;
    struct call_options options;
    uint32_t input_count, output_count; /* as the library counts */
    int is_complete;                    /* all inputs are known: what the library says is final */
    int *numbers;                       /* room for one of each input and output */
    unsigned *extents;                  /* room for the shapes of all inputs */
    unsigned **shapes;
};

/* A library may not be able to tell as long as it does not know all inputs. */
static tn_status inference_failed(const struct inference *work, const char *what, int result,
                                  const struct call_words *words) {
    if (!work->is_complete && result != EXTENSION_NO_MEMORY) {
        extension_forget_messages(work->op->extension);
        return TN_OK;
    }
    return extension_failed(work->op->extension, work->call->host, TN_INVALID_ARGUMENT, what,
                            result, words);
}

static tn_status infer_dtypes(struct inference *work) {
    const struct extension *extension = work->op->extension;
    tn_infer_call *call = work->call;
    struct call_words words;
    int any = work->input_count == 0;
    int *inputs = work->numbers, *outputs = work->numbers + work->input_count;
    work->is_complete = 1;
    for (uint32_t i = 0; i < work->input_count; i++) {
        inputs[i] = extension_dtype(call->inputs[i].dtype);
        if (call->inputs[i].dtype != 0 && inputs[i] < 0) {
            return tn_fail(call->host, TN_UNSUPPORTED,
                           "input %u is %s, which no MXNet extension library knows", (unsigned)i,
                           tn_dtype_name(call->inputs[i].dtype));
        }
        work->is_complete = work->is_complete && inputs[i] >= 0;
        any = any || inputs[i] >= 0;
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        outputs[i] = extension_dtype(call->outputs[i].dtype);
    }
    if (!any) {
        return TN_OK;
    }
    const int result =
        call_infer_type(&extension->exports, work->op->type, &work->options, inputs,
                        (int)work->input_count, outputs, (int)work->output_count, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return inference_failed(work, "inferType", result, &words);
    }
    for (uint32_t i = 0; i < work->input_count + work->output_count; i++) {
        const int is_input = i < work->input_count;
        const uint32_t index = is_input ? i : i - work->input_count;
        char name[32];
        snprintf(name, sizeof name, "%s %u", is_input ? "input" : "output", (unsigned)index);
        if (work->numbers[i] >= EXTENSION_DTYPE_COUNT || work->numbers[i] < -1) {
            return extension_is_wrong(extension, call->host, "inferType",
                                      "it gave the type %d for %s", work->numbers[i], name);
        }
        if (work->numbers[i] >= 0) {
            tn_tensor_type *type = is_input ? &call->inputs[index] : &call->outputs[index];
            TN_TRY(
                tn_infer_dtype(call->host, name, &type->dtype, extension_dtypes[work->numbers[i]]));
        }
    }
    return TN_OK;
}

/* What the library says of one shape, merged into what is known. */
static tn_status take_shape(const struct inference *work, const char *name, const unsigned *extents,
                            int rank, tn_shape *known) {
    tn_shape fact = tn_shape_unknown();
    if (rank > TN_MAX_RANK || rank < -1 || (rank > 0 && extents == NULL)) {
        return extension_is_wrong(work->op->extension, work->call->host, "inferShape",
                                  "it gave a shape of rank %d for %s", rank, name);
    }
    if (rank < 0 || (rank == 0 && !work->is_complete)) {
        return TN_OK; /* not known */
    }
    fact.rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        const int is_open =
            extents[axis] == UINT32_MAX || (extents[axis] == 0 && !work->is_complete);
        fact.extents[axis] = is_open ? TN_UNKNOWN : (int64_t)extents[axis];
    }
    return tn_infer_shape(work->call->host, name, known, &fact);
}

static tn_status take_shapes(const struct inference *work, const struct call_shapes *shapes) {
    tn_infer_call *call = work->call;
    char name[32];
    if ((work->input_count > 0 && (shapes->inputs == NULL || shapes->input_ranks == NULL)) ||
        shapes->outputs == NULL || shapes->output_ranks == NULL) {
        return extension_is_wrong(work->op->extension, call->host, "inferShape",
                                  "it gave no shapes");
    }
    for (uint32_t i = 0; i < work->input_count; i++) {
        snprintf(name, sizeof name, "input %u", (unsigned)i);
        TN_TRY(take_shape(work, name, shapes->inputs[i], shapes->input_ranks[i],
                          &call->inputs[i].shape));
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        snprintf(name, sizeof name, "output %u", (unsigned)i);
        TN_TRY(take_shape(work, name, shapes->outputs[i], shapes->output_ranks[i],
                          &call->outputs[i].shape));
    }
    return TN_OK;
}

static void free_rows(const struct extension *extension, unsigned **rows, uint32_t count) {
    for (uint32_t i = 0; rows != NULL && i < count; i++) {
        if (rows[i] != NULL) {
            call_free(&extension->exports, rows[i]);
        }
    }
    if (rows != NULL) {
        call_free(&extension->exports, rows);
    }
}

static void free_shapes(const struct inference *work, const struct call_shapes *shapes) {
    const struct extension *extension = work->op->extension;
    free_rows(extension, shapes->inputs, work->input_count);
    free_rows(extension, shapes->outputs, work->output_count);
    if (shapes->input_ranks != NULL) {
        call_free(&extension->exports, shapes->input_ranks);
    }
    if (shapes->output_ranks != NULL) {
        call_free(&extension->exports, shapes->output_ranks);
    }
}

/* The known shapes as the library reads them: 0 for an extent or a rank that is not known. */
static tn_status give_shapes(struct inference *work, int *out_any) {
    const tn_infer_call *call = work->call;
    unsigned *at = work->extents;
    *out_any = work->input_count == 0;
    work->is_complete = 1;
    for (uint32_t i = 0; i < work->input_count; i++) {
        const tn_shape *shape = &call->inputs[i].shape;
        work->is_complete = work->is_complete && tn_shape_is_known(shape);
        *out_any = *out_any || shape->rank > 0;
        work->shapes[i] = at;
        work->numbers[i] = shape->rank > 0 ? shape->rank : 0;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            if (shape->extents[axis] >= (int64_t)UINT32_MAX) {
                return tn_fail(call->host, TN_UNSUPPORTED,
                               "input %u has %lld elements along axis %d, more than a library can "
                               "be told",
                               (unsigned)i, (long long)shape->extents[axis], (int)axis);
            }
            *at++ = shape->extents[axis] < 0 ? 0 : (unsigned)shape->extents[axis];
        }
    }
    *out_any = *out_any || work->is_complete;
    return TN_OK;
}

static tn_status infer_shapes(struct inference *work) {
    struct call_words words;
    struct call_shapes shapes = {NULL, NULL, NULL, NULL};
    int any;
    TN_TRY(give_shapes(work, &any));
    if (!any) {
        return TN_OK;
    }
    const int result = call_infer_shape(
        &work->op->extension->exports, work->op->shape, &work->options, work->shapes, work->numbers,
        (int)work->input_count, (int)work->output_count, &shapes, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return inference_failed(work, "inferShape", result, &words);
    }
    const tn_status status = take_shapes(work, &shapes);
    free_shapes(work, &shapes);
    return status;
}

/* Storage types, once those of all inputs are known. `as_dense`: a library that cannot tell means
 * that all are dense. */
static tn_status infer_storages(struct inference *work, int as_dense) {
    const struct extension *extension = work->op->extension;
    tn_infer_call *call = work->call;
    struct call_words words;
    int *inputs = work->numbers, *outputs = work->numbers + work->input_count;
    if (work->op->storage == NULL) {
        return TN_OK;
    }
    for (uint32_t i = 0; i < work->input_count; i++) {
        inputs[i] = extension_storage(call->inputs[i].storage);
        if (inputs[i] < 0) {
            return TN_OK;
        }
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        outputs[i] = extension_storage(call->outputs[i].storage);
    }
    const int result =
        call_infer_storage(&extension->exports, work->op->storage, &work->options, inputs,
                           (int)work->input_count, outputs, (int)work->output_count, &words);
    if (result != EXTENSION_SUCCEEDED && (!as_dense || result == EXTENSION_NO_MEMORY)) {
        return extension_failed(work->op->extension, call->host, TN_INVALID_ARGUMENT, "inferSType",
                                result, &words);
    }
    for (uint32_t i = 0; i < work->output_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "output %u", (unsigned)i);
        const int storage = result == EXTENSION_SUCCEEDED ? outputs[i] : 0;
        if (storage < -1 || storage > extension_storage(TN_STORAGE_CSR)) {
            return extension_is_wrong(extension, call->host, "inferSType",
                                      "it gave the storage type %d for %s", storage, name);
        }
        TN_TRY(tn_infer_storage(call->host, name, &call->outputs[i].storage,
                                (uint32_t)(storage + (int)TN_STORAGE_DENSE)));
    }
    return TN_OK;
}

static void infer_state_number(const struct extension_op *op, tn_tensor_type *types,
                               uint32_t count) {
    if (op_state_count(op) > 0) {
        types[count - 1].dtype = TN_I64;
        types[count - 1].storage = TN_STORAGE_DENSE;
        types[count - 1].shape = tn_shape_of(0, NULL);
    }
}

static tn_status infer_all(struct inference *work) {
    TN_TRY(infer_dtypes(work));
    TN_TRY(infer_shapes(work));
    TN_TRY(infer_storages(work, 0));
    infer_state_number(work->op, work->call->outputs, work->call->output_count);
    return TN_OK;
}

tn_status op_infer(tn_infer_call *call) {
    struct inference work = {.op = call->op->context, .call = call};
    const struct op_attributes *attributes = call->attributes;
    const tn_host *host = call->host;
    TN_TRY(op_options_create(host, &attributes->given, &work.options));
    uint32_t extra = 0;
    tn_status status = op_count_extra(work.op, host, &work.options, &extra);
    work.input_count = call->input_count - extra;
    work.output_count = call->output_count - op_state_count(work.op);
    if (status == TN_OK) {
        const size_t tensors = work.input_count + work.output_count + 1;
        const size_t room = tensors * (sizeof(unsigned *) + sizeof(int)) +
                            (work.input_count + 1) * TN_MAX_RANK * sizeof(unsigned);
        work.shapes = TN_SERVICE(host, memory)->allocate(host, room);
        status = work.shapes == NULL ? tn_fail(host, TN_OUT_OF_MEMORY, "no memory to infer types")
                                     : TN_OK;
        if (status == TN_OK) {
            work.numbers = (int *)(work.shapes + tensors);
            work.extents = (unsigned *)(work.numbers + tensors);
            status = infer_all(&work);
        }
        TN_SERVICE(host, memory)->free(host, work.shapes);
    }
    op_options_destroy(host, &work.options);
    return status;
}

tn_status op_subgraph_infer(tn_infer_call *call) {
    infer_state_number(call->op->context, call->outputs, call->output_count);
    return TN_OK;
}

static tn_status infer_same(const tn_host *host, const char *what, tn_tensor_type *left,
                            tn_tensor_type *right) {
    TN_TRY(tn_infer_same_shape(host, what, &left->shape, &right->shape));
    TN_TRY(tn_infer_dtype(host, what, &left->dtype, right->dtype));
    return tn_infer_dtype(host, what, &right->dtype, left->dtype);
}

/* The same function of the library tells for the gradient, whose list of inputs is longer. */
static tn_status infer_backward_storages(tn_infer_call *call, const struct call_options *options) {
    struct inference work = {.op = call->op->context, .call = call, .options = *options};
    work.input_count = call->input_count - op_state_count(work.op);
    work.output_count = call->output_count;
    if (work.op->storage == NULL) {
        return TN_OK;
    }
    const size_t count = work.input_count + work.output_count;
    work.numbers =
        TN_SERVICE(call->host, memory)->allocate(call->host, count * sizeof *work.numbers);
    if (work.numbers == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory to infer storage types");
    }
    const tn_status status = infer_storages(&work, 1);
    extension_forget_messages(work.op->extension);
    TN_SERVICE(call->host, memory)->free(call->host, work.numbers);
    return status;
}

tn_status op_backward_infer(tn_infer_call *call) {
    const struct extension_op *op = call->op->context;
    const struct op_attributes *attributes = call->attributes;
    struct call_options options;
    struct op_counts counts;
    TN_TRY(op_options_create(call->host, &attributes->given, &options));
    tn_status status = op_count_backward(op, call->host, &options, call->input_count, &counts);
    if (status == TN_OK) {
        status = infer_backward_storages(call, &options);
    }
    op_options_destroy(call->host, &options);
    TN_TRY(status);
    const uint32_t inputs = counts.outputs;
    const uint32_t outputs = inputs + counts.inputs + counts.extra_inputs;
    for (uint32_t i = 0; i < counts.outputs; i++) {
        TN_TRY(infer_same(call->host, "the gradient of an output", &call->inputs[i],
                          &call->inputs[outputs + i]));
    }
    for (uint32_t i = 0; i < counts.inputs; i++) {
        TN_TRY(infer_same(call->host, "the gradient of an input", &call->outputs[i],
                          &call->inputs[inputs + i]));
    }
    infer_state_number(op, call->inputs, call->input_count);
    return TN_OK;
}
