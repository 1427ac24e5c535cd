/*
 * The plugin "ops-shape": operators that make, reshape, move, select and sort elements, and the
 * plain C kernels for them.
 */
#include "mover.h"
#include "operators.h"

static const tn_in_place first_to_first[] = {{0, 0}};

#define COPY_ENTRIES(OP, NAME)                                                                     \
    TN_ENTRY_OP(NAME, &OP##_op),                                                                   \
        TN_ENTRY_KERNEL(NAME, (&(const tn_kernel){                                                 \
                                  .struct_size = TN_KERNEL_SIZE,                                   \
                                  .flags = TN_KERNEL_COPIES_INPUT,                                 \
                                  .op = NAME,                                                      \
                                  .target = "cpu",                                                 \
                                  .in_place = first_to_first,                                      \
                                  .in_place_count = 1,                                             \
                                  .run = copy_input_run,                                           \
                              })),

#define MOVE_ENTRIES_WITH(OP, NAME, PREPARE, LAYOUTS)                                              \
    TN_ENTRY_OP(NAME, &OP##_op),                                                                   \
        TN_ENTRY_KERNEL(NAME, (&(const tn_kernel){                                                 \
                                  .struct_size = TN_KERNEL_SIZE,                                   \
                                  .flags = TN_KERNEL_MOVES_ELEMENTS,                               \
                                  .op = NAME,                                                      \
                                  .target = "cpu",                                                 \
                                  .prepare = PREPARE,                                              \
                                  .run = move_list_run,                                            \
                                  .release = move_list_release,                                    \
                                  .layouts = LAYOUTS,                                              \
                              })),
#define MOVE_ENTRIES(OP, NAME, PREPARE) MOVE_ENTRIES_WITH(OP, NAME, PREPARE, NULL)
#define CONCAT_ENTRIES(OP, NAME) MOVE_ENTRIES_WITH(OP, NAME, join_prepare, concat_layouts)

#define OTHER_ENTRIES(OP, NAME, SUPPORTS, PREPARE, RUN, RELEASE)                                   \
    TN_ENTRY_OP(NAME, &OP##_op),                                                                   \
        TN_ENTRY_KERNEL(NAME, (&(const tn_kernel){                                                 \
                                  .struct_size = TN_KERNEL_SIZE,                                   \
                                  .op = NAME,                                                      \
                                  .target = "cpu",                                                 \
                                  .supports = SUPPORTS,                                            \
                                  .prepare = PREPARE,                                              \
                                  .run = RUN,                                                      \
                                  .release = RELEASE,                                              \
                              })),

#define SPARSE_ENTRIES(OP, NAME, SUPPORTS, PREPARE, RUN)                                           \
    TN_ENTRY_OP(NAME, &OP##_op),                                                                   \
        TN_ENTRY_KERNEL(NAME, (&(const tn_kernel){                                                 \
                                  .struct_size = TN_KERNEL_SIZE,                                   \
                                  .flags = TN_KERNEL_SPARSE,                                       \
                                  .op = NAME,                                                      \
                                  .target = "cpu",                                                 \
                                  .supports = SUPPORTS,                                            \
                                  .prepare = PREPARE,                                              \
                                  .run = RUN,                                                      \
                              })),

#define SPARSE_COPY_ENTRIES(NAME)                                                                  \
    TN_ENTRY_KERNEL(NAME ".sparse", (&(const tn_kernel){                                           \
                                        .struct_size = TN_KERNEL_SIZE,                             \
                                        .flags = TN_KERNEL_SPARSE,                                 \
                                        .op = NAME,                                                \
                                        .target = "cpu",                                           \
                                        .supports = sparse_copy_supports,                          \
                                        .run = sparse_copy_run,                                    \
                                    })),

static const tn_entry entries[] = {COPY_OPERATORS(COPY_ENTRIES) CONCAT_OPERATORS(CONCAT_ENTRIES)
                                       MOVE_OPERATORS(MOVE_ENTRIES) OTHER_OPERATORS(OTHER_ENTRIES)
                                           SPARSE_OPERATORS(SPARSE_ENTRIES)
                                               SPARSE_COPIES(SPARSE_COPY_ENTRIES)};

TN_PLUGIN_WITH("ops-shape", "0.1.0", "error/1,memory/1,graph/1,sparse/1", "parallel/1", NULL, NULL,
               entries);
