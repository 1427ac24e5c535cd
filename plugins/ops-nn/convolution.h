/*
 * What Convolution and Deconvolution share: attributes, and inference of what both do alike.
 */
#ifndef OPS_NN_CONVOLUTION_H
#define OPS_NN_CONVOLUTION_H

#include "description.h"
#include "window.h"

typedef struct convolution_attributes {
    tn_ints kernel;
    tn_ints stride;
    tn_ints dilate;
    tn_ints pad;
    tn_ints adj;          /* Deconvolution only */
    tn_ints target_shape; /* Deconvolution only */
    int64_t num_filter;
    int64_t num_group;
    int64_t workspace;
    int32_t no_bias;
    int32_t cudnn_tune;
    int32_t cudnn_off;
    int32_t layout;
    int32_t auto_pad; /* Convolution only */
} convolution_attributes;

enum { AUTO_PAD_NONE, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER };

/* The rows of the attribute table that both have. */
#define CONVOLUTION_FIELDS(NO_BIAS, WORKSPACE)                                                     \
    TN_FIELD(convolution_attributes, kernel, INTS, NULL, WINDOW_RANGE_ONE,                         \
             "The kernel's extents: (w), (h, w) or (d, h, w)."),                                   \
        TN_FIELD(convolution_attributes, stride, INTS, "()", WINDOW_RANGE_ONE,                     \
                 "Steps of the kernel along each axis; ones when left out."),                      \
        TN_FIELD(convolution_attributes, dilate, INTS, "()", WINDOW_RANGE_ONE,                     \
                 "Distances between the elements under the kernel; ones when left out."),          \
        TN_FIELD(convolution_attributes, pad, INTS, "()", WINDOW_RANGE_ZERO,                       \
                 "Rows and columns of zeros around the data: " WINDOW_PAD_DOC),                    \
        TN_FIELD_OR_NONE(convolution_attributes, num_filter, INT, "None", WINDOW_RANGE_ONE,        \
                         "How many channels come out; as the weight has it when left out."),       \
        TN_FIELD(convolution_attributes, num_group, INT, "1", WINDOW_RANGE_ONE,                    \
                 "Into how many groups the channels are divided; each group is convolved for "     \
                 "itself."),                                                                       \
        TN_FIELD(convolution_attributes, workspace, INT, WORKSPACE, "[0,inf)", NO_EFFECT),         \
        TN_FIELD(convolution_attributes, no_bias, BOOL, NO_BIAS, NULL,                             \
                 "Leaves out the bias, which is then not an input."),                              \
        TN_FIELD_CHOICE(convolution_attributes, cudnn_tune, "None",                                \
                        "off|limited_workspace|fastest", NO_EFFECT),                               \
        TN_FIELD(convolution_attributes, cudnn_off, BOOL, "False", NULL, NO_EFFECT),               \
        TN_FIELD_CHOICE(convolution_attributes, layout, "None", WINDOW_LAYOUTS,                    \
                        WINDOW_LAYOUT_DOC " Only the former are computed; the pass "               \
                                          "choose-layout changes the latter into them.")

#define CONVOLUTION_AUTO_PAD_FIELD                                                                 \
    TN_FIELD_CHOICE(                                                                               \
        convolution_attributes, auto_pad, "None", "None|same_upper|same_lower",                    \
        "Chooses the padding in place of pad: as much as gives one place for each "                \
        "stride of the data, where odd with one more behind (same_upper) or in front.")

/* Fails for a layout that has the channels last. */
tn_status convolution_check_channels_first(const tn_host *host,
                                           const convolution_attributes *attributes);

/* Checks the attributes and sets the number of inputs. */
tn_status convolution_arity(tn_arity_call *call);

/* Infers all of Convolution. */
tn_status convolution_infer(tn_infer_call *call);

/* `extents`, the data's spatial ones, may be NULL or unknown: then there is no padding where
 * auto_pad makes it follow from them. */
tn_status convolution_window(const tn_host *host, const convolution_attributes *attributes,
                             const int64_t *extents, sliding_window *out_window);

/* Infers dtypes, ranks, batch and channels, and the shapes of weight and bias. Deconvolution's
 * weight has the channels of data first, Convolution's those of output. */
tn_status convolution_infer_channels(tn_infer_call *call, const sliding_window *window,
                                     int data_channels_first);

#endif
