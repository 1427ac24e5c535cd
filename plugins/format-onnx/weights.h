/*
 * A model without the elements of its initializers. protobuf-c copies all that it reads, and these
 * are nearly all of a model: they are set aside before, and put back as pointers into the file.
 */
#ifndef FORMAT_ONNX_WEIGHTS_H
#define FORMAT_ONNX_WEIGHTS_H

#include <onnx.pb-c.h>

#include "bytes.h"

struct weight {
    const unsigned char *data; /* NULL: the initializer kept its own */
    uint64_t size;
};

struct weights {
    const tn_host *host;
    struct bytes_out rest; /* the model without them; empty: nothing was set aside */
    struct weight *items;  /* for each initializer of the graph */
    uint64_t count, capacity;
};

/* `data` is a message that was checked. `weights` is to be finished, also after a failure. */
tn_status weights_set_aside(const tn_host *host, const void *data, uint64_t size,
                            struct weights *weights);
/* Into the model that was unpacked from `rest`. */
tn_status weights_put_back(const struct weights *weights, const Onnx__ModelProto *model);
/* Out of it again, before it is released. */
void weights_take_out(const struct weights *weights, const Onnx__ModelProto *model);
void weights_finish(struct weights *weights);

#endif
