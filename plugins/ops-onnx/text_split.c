/* StringSplit: texts cut at a delimiter. */
#include "families.h"
#include "given_output.h"
#include "one_output.h"
#include "operator.h"
#include "subgraph.h"
#include "text.h"

typedef struct split_attributes {
    const char *delimiter;
    int64_t maxsplit;
} split_attributes;

static const tn_attribute table[] = {
    TN_FIELD(split_attributes, delimiter, STRING, "", NULL,
             "Between the parts; when empty any run of white space is, and that at both ends."),
    TN_FIELD_OR_NONE(split_attributes, maxsplit, INT, "None", "[0,inf)",
                     "How often to cut at most."),
};

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y", "Z"};

static tn_status infer(tn_infer_call *call) {
    tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_dtype(call->host, "X", &call->inputs[0].dtype, TN_STRING));
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_STRING));
    TN_TRY(tn_infer_dtype(call->host, "Z", &call->outputs[1].dtype, TN_I64));
    TN_TRY(tn_infer_same_shape(call->host, "Z", &call->outputs[1].shape, data));
    if (data->rank < 0 || data->rank == TN_MAX_RANK) {
        return TN_OK;
    }
    tn_shape parts = *data;
    parts.extents[parts.rank++] = TN_UNKNOWN;
    return infer_output_shape(call, &parts);
}

const tn_op string_split_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc = "The parts of each text along a new last axis, filled up with empty ones, and how many "
           "there are.",
    OP_ATTRIBUTES(table, split_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

static int is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A text on its way: what is left of it, and how many parts have been cut off. */
struct cutter {
    const char *delimiter;
    int64_t most; /* cuts */
    const char *rest;
    int64_t parts;
};

static struct cutter cut_begin(const split_attributes *own, const char *text) {
    const int64_t most = own->maxsplit == TN_NONE ? INT64_MAX : own->maxsplit;
    return (struct cutter){own->delimiter, most, text, 0};
}

/* The next part; 0 when there is none. */
static int cut(struct cutter *cutter, const char **out_part, size_t *out_size) {
    const size_t length = strlen(cutter->delimiter);
    if (cutter->rest == NULL) {
        return 0;
    }
    while (length == 0 && is_space(*cutter->rest)) {
        cutter->rest++;
    }
    if (length == 0 && *cutter->rest == '\0') {
        return 0;
    }
    const char *part = cutter->rest, *end = part + strlen(part), *next = NULL;
    if (cutter->parts < cutter->most && length > 0) {
        const char *found = strstr(part, cutter->delimiter);
        end = found != NULL ? found : end;
        next = found != NULL ? found + length : NULL;
    } else if (length == 0) {
        const char *c = part;
        while (cutter->parts < cutter->most && *c != '\0' && !is_space(*c)) {
            c++;
        }
        next = cutter->parts < cutter->most ? c : NULL;
        end = next != NULL ? c : end;
        while (next == NULL && end > part && is_space(end[-1])) {
            end--;
        }
    }
    cutter->rest = next;
    cutter->parts++;
    *out_part = part;
    *out_size = (size_t)(end - part);
    return 1;
}

static tn_status run(const tn_run_call *call) {
    const split_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *parts;
    int64_t *counts = tn_data(call->outputs[1]), most = 0;
    const char *part;
    size_t size;
    for (int64_t i = 0; i < tn_element_count(data); i++) {
        struct cutter cutter = cut_begin(own, text_at(data, i));
        while (cut(&cutter, &part, &size)) {
        }
        counts[i] = cutter.parts;
        most = cutter.parts > most ? cutter.parts : most;
    }
    tn_shape shape = tn_shape_of(data->rank, data->shape);
    shape.extents[shape.rank++] = most;
    TN_TRY(open_output(call, 0, TN_STRING, &shape, &parts));
    memset(tn_data(parts), 0, tn_byte_size(parts));
    for (int64_t i = 0; i < tn_element_count(data); i++) {
        struct cutter cutter = cut_begin(own, text_at(data, i));
        for (int64_t k = 0; cut(&cutter, &part, &size); k++) {
            TN_TRY(set_text(call->host, parts, i * most + k, part, size));
        }
    }
    return TN_OK;
}

const tn_kernel string_split_kernel = {CPU_KERNEL("onnx.StringSplit"),
                                       .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run};
