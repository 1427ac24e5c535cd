/*
 * All operators of this folder and the functions of their kernels. An operator that MXNet knows by
 * several names has a row for each.
 */
#ifndef OPS_SHAPE_OPERATORS_H
#define OPS_SHAPE_OPERATORS_H

#include <tenon/plugin.h>

/* Kernels that copy their first input as it is: X(operator, name). */
#define COPY_OPERATORS(X)                                                                          \
    X(flatten, "Flatten")                                                                          \
    X(flatten, "flatten")                                                                          \
    X(reshape, "Reshape")                                                                          \
    X(reshape, "reshape")                                                                          \
    X(reshape_like, "reshape_like")                                                                \
    X(expand_dims, "expand_dims")                                                                  \
    X(squeeze, "squeeze")                                                                          \
    X(identity, "_copy")                                                                           \
    X(identity, "identity")                                                                        \
    X(block_gradient, "BlockGrad")                                                                 \
    X(block_gradient, "stop_gradient")                                                             \
    X(identity_like, "_identity_with_attr_like_rhs")

/* The same, in whatever layout all inputs have: X(operator, name). */
#define CONCAT_OPERATORS(X)                                                                        \
    X(concat, "Concat")                                                                            \
    X(concat, "concat")

/* Kernels that move elements by a plan: X(operator, name, prepare). */
#define MOVE_OPERATORS(X)                                                                          \
    X(transpose, "transpose", transpose_prepare)                                                   \
    X(swap_axis, "SwapAxis", swap_axis_prepare)                                                    \
    X(swap_axis, "swapaxes", swap_axis_prepare)                                                    \
    X(stack, "stack", join_prepare)                                                                \
    X(slice_channel, "SliceChannel", slice_channel_prepare)                                        \
    X(slice_channel, "split", slice_channel_prepare)                                               \
    X(split_v2, "_split_v2", split_v2_prepare)                                                     \
    X(slice, "slice", slice_prepare)                                                               \
    X(slice, "crop", slice_prepare)                                                                \
    X(slice_axis, "slice_axis", slice_axis_prepare)                                                \
    X(slice_like, "slice_like", slice_like_prepare)                                                \
    X(reverse, "reverse", reverse_prepare)                                                         \
    X(reverse, "flip", reverse_prepare)                                                            \
    X(tile, "tile", tile_prepare)                                                                  \
    X(repeat, "repeat", repeat_prepare)                                                            \
    X(depth_to_space, "depth_to_space", depth_to_space_prepare)                                    \
    X(space_to_depth, "space_to_depth", space_to_depth_prepare)                                    \
    X(diag, "diag", diag_prepare)                                                                  \
    X(reorder, "reorder", reorder_prepare)

/* All others: X(operator, name, supports, prepare, run, release). */
#define OTHER_OPERATORS(X)                                                                         \
    X(zeros, "_zeros", NULL, NULL, zeros_run, NULL)                                                \
    X(ones, "_ones", NULL, NULL, ones_run, NULL)                                                   \
    X(full, "_full", NULL, NULL, full_run, NULL)                                                   \
    X(zeros_like, "zeros_like", NULL, NULL, zeros_run, NULL)                                       \
    X(ones_like, "ones_like", NULL, NULL, ones_run, NULL)                                          \
    X(arange, "_arange", NULL, NULL, arange_run, NULL)                                             \
    X(linspace, "_linspace", NULL, NULL, linspace_run, NULL)                                       \
    X(eye, "_eye", NULL, NULL, eye_run, NULL)                                                      \
    X(shape_array, "shape_array", NULL, NULL, shape_array_run, NULL)                               \
    X(size_array, "size_array", NULL, NULL, size_array_run, NULL)                                  \
    X(pad, "Pad", NULL, pad_prepare, move_list_run, move_list_release)                             \
    X(pad, "pad", NULL, pad_prepare, move_list_run, move_list_release)                             \
    X(one_hot, "one_hot", NULL, NULL, one_hot_run, NULL)                                           \
    X(take, "take", NULL, take_prepare, take_run, NULL)                                            \
    X(embedding, "Embedding", NULL, embedding_prepare, embedding_run, NULL)                        \
    X(gather_nd, "gather_nd", NULL, points_prepare, gather_nd_run, NULL)                           \
    X(scatter_nd, "scatter_nd", NULL, points_prepare, scatter_nd_run, NULL)                        \
    X(pick, "pick", NULL, pick_prepare, pick_run, NULL)                                            \
    X(pick, "choose_element_0index", NULL, pick_prepare, pick_run, NULL)                           \
    X(topk, "topk", NULL, topk_prepare, topk_run, ranking_release)                                 \
    X(sort, "sort", NULL, sort_prepare, sort_run, ranking_release)                                 \
    X(argsort, "argsort", NULL, sort_prepare, argsort_run, ranking_release)                        \
    X(cumsum, "cumsum", cumsum_supports, NULL, cumsum_run, NULL)                                   \
    X(ravel, "_ravel_multi_index", NULL, NULL, ravel_run, NULL)                                    \
    X(ravel, "ravel_multi_index", NULL, NULL, ravel_run, NULL)                                     \
    X(unravel, "_unravel_index", NULL, NULL, unravel_run, NULL)                                    \
    X(unravel, "unravel_index", NULL, NULL, unravel_run, NULL)

/* Those that have another kernel for sparse tensors: X(name). */
#define SPARSE_COPIES(X)                                                                           \
    X("_copy")                                                                                     \
    X("identity")                                                                                  \
    X("BlockGrad")                                                                                 \
    X("stop_gradient")

/* Kernels that take sparse tensors: X(operator, name, supports, prepare, run). */
#define SPARSE_OPERATORS(X)                                                                        \
    X(cast_storage, "cast_storage", cast_storage_supports, cast_storage_prepare, cast_storage_run) \
    X(sparse_retain, "_sparse_retain", sparse_retain_supports, sparse_retain_prepare,              \
      sparse_retain_run)                                                                           \
    X(sparse_retain, "sparse_retain", sparse_retain_supports, sparse_retain_prepare,               \
      sparse_retain_run)

#define DECLARE_OPERATOR(OP, ...) extern const tn_op OP##_op;
COPY_OPERATORS(DECLARE_OPERATOR)
MOVE_OPERATORS(DECLARE_OPERATOR)
CONCAT_OPERATORS(DECLARE_OPERATOR)
OTHER_OPERATORS(DECLARE_OPERATOR)
SPARSE_OPERATORS(DECLARE_OPERATOR)
#undef DECLARE_OPERATOR

#define DECLARE_PREPARE(OP, NAME, PREPARE) tn_status PREPARE(tn_prepare_call *call);
MOVE_OPERATORS(DECLARE_PREPARE)
#undef DECLARE_PREPARE

void concat_layouts(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs);
tn_status pad_prepare(tn_prepare_call *call);
tn_status take_prepare(tn_prepare_call *call);
tn_status embedding_prepare(tn_prepare_call *call);
tn_status points_prepare(tn_prepare_call *call);
tn_status pick_prepare(tn_prepare_call *call);
tn_status topk_prepare(tn_prepare_call *call);
tn_status sort_prepare(tn_prepare_call *call);

#define DECLARE_RUN(OP, NAME, SUPPORTS, PREPARE, RUN, RELEASE)                                     \
    tn_status RUN(const tn_run_call *call);
OTHER_OPERATORS(DECLARE_RUN)
#undef DECLARE_RUN

#define DECLARE_SPARSE(OP, NAME, SUPPORTS, PREPARE, RUN)                                           \
    int32_t SUPPORTS(const tn_kernel_query *query);                                                \
    tn_status PREPARE(tn_prepare_call *call);                                                      \
    tn_status RUN(const tn_run_call *call);
SPARSE_OPERATORS(DECLARE_SPARSE)
#undef DECLARE_SPARSE

int32_t sparse_copy_supports(const tn_kernel_query *query);
tn_status sparse_copy_run(const tn_run_call *call);

void ranking_release(const tn_host *host, void *state);
int32_t cumsum_supports(const tn_kernel_query *query);

#endif
