#include "stack.h"

#include "subgraph.h"

struct stack *stacks_create(const tn_host *host, uint32_t count) {
    const uint64_t size = ((uint64_t)count + 1) * sizeof(struct stack);
    struct stack *stacks = (struct stack *)TN_SERVICE(host, memory)->allocate(host, size);
    if (stacks != NULL) {
        memset(stacks, 0, size);
    }
    return stacks;
}

void stacks_destroy(const tn_host *host, struct stack *stacks, uint32_t count) {
    for (uint32_t i = 0; stacks != NULL && i < count; i++) {
        tensors_destroy(host, stacks[i].parts, stacks[i].count);
    }
    TN_SERVICE(host, memory)->free(host, stacks);
}

static tn_status grow(const tn_host *host, struct stack *stack) {
    const uint64_t capacity = stack->capacity > 0 ? stack->capacity * 2 : 16;
    tn_tensor **parts = tensors_create(host, capacity);
    if (parts == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    if (stack->count > 0) {
        memcpy(parts, stack->parts, stack->count * sizeof(tn_tensor *));
    }
    TN_SERVICE(host, memory)->free(host, stack->parts);
    stack->parts = parts;
    stack->capacity = capacity;
    return TN_OK;
}

tn_status stack_add(const tn_host *host, struct stack *stack, tn_tensor *part) {
    const tn_view *view = TN_SERVICE(host, tensor)->view(host, part);
    if (stack->count > 0) {
        const tn_view *first = TN_SERVICE(host, tensor)->view(host, stack->parts[0]);
        if (view->dtype != first->dtype || view->rank != first->rank ||
            memcmp(view->shape, first->shape, (size_t)view->rank * sizeof(int64_t)) != 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "part %llu of an output has another type than the first: they cannot "
                           "be stacked",
                           (unsigned long long)stack->count);
        }
    }
    if (stack->count == stack->capacity) {
        TN_TRY(grow(host, stack));
    }
    TN_SERVICE(host, tensor)->retain(host, part);
    stack->parts[stack->count++] = part;
    return TN_OK;
}

tn_shape stacked_shape(const tn_shape *part, int32_t axis, int64_t extent) {
    if (part->rank < 0 || part->rank >= TN_MAX_RANK) {
        return tn_shape_unknown();
    }
    tn_shape shape = tn_shape_of_rank(part->rank + 1);
    for (int32_t i = 0; i < shape.rank; i++) {
        shape.extents[i] = i == axis ? extent : part->extents[i - (i > axis)];
    }
    return shape;
}

static tn_status create_empty(const tn_host *host, const tn_tensor_type *type,
                              tn_tensor **out_tensor) {
    tn_shape shape = type->shape.rank < 0 ? tn_shape_of_rank(1) : type->shape;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        if (shape.extents[axis] < 0) {
            shape.extents[axis] = 0;
        }
    }
    if (type->dtype == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "the graph did not run once, and its types do not say of what an output "
                       "has no elements");
    }
    return TN_SERVICE(host, tensor)
        ->create(host, type->dtype, shape.rank, shape.extents, out_tensor);
}

/* Each part is cut into rows, which lie apart in the whole. */
static void copy_parts(const tn_host *host, const struct stack *stack, int32_t axis,
                       int is_reversed, const tn_view *whole) {
    const tn_view *first = TN_SERVICE(host, tensor)->view(host, stack->parts[0]);
    const int64_t rows = tn_extent_product(first->shape, 0, axis);
    const size_t row_size =
        (size_t)tn_extent_product(first->shape, axis, first->rank) * TN_DTYPE_SIZE(first->dtype);
    for (uint64_t i = 0; i < stack->count && row_size > 0; i++) {
        const char *source = tn_data(TN_SERVICE(host, tensor)->view(host, stack->parts[i]));
        const uint64_t place = is_reversed ? stack->count - 1 - i : i;
        char *target = (char *)tn_data(whole) + place * row_size;
        for (int64_t row = 0; row < rows; row++) {
            memcpy(target, source, row_size);
            source += row_size;
            target += row_size * stack->count;
        }
    }
}

tn_status stack_join(const tn_host *host, const struct stack *stack, const tn_tensor_type *type,
                     int64_t axis, int is_reversed, tn_tensor **out_tensor) {
    if (stack->count == 0) {
        return create_empty(host, type, out_tensor);
    }
    const tn_view *first = TN_SERVICE(host, tensor)->view(host, stack->parts[0]);
    int32_t resolved;
    TN_TRY(tn_resolve_axis(host, axis, first->rank + 1, &resolved));
    const tn_shape part = tn_shape_of(first->rank, first->shape);
    const tn_shape shape = stacked_shape(&part, resolved, (int64_t)stack->count);
    if (shape.rank < 0) {
        return tn_fail(host, TN_OUT_OF_RANGE, "a stack of rank %d", (int)first->rank + 1);
    }
    TN_TRY(TN_SERVICE(host, tensor)
               ->create(host, first->dtype, shape.rank, shape.extents, out_tensor));
    copy_parts(host, stack, resolved, is_reversed,
               TN_SERVICE(host, tensor)->view(host, *out_tensor));
    return TN_OK;
}

tn_status keep_output_types(tn_prepare_call *call) {
    const uint64_t size = call->output_count * sizeof(tn_tensor_type);
    call->state = TN_SERVICE(call->host, memory)->allocate(call->host, size);
    if (call->state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for %u types",
                       (unsigned)call->output_count);
    }
    memcpy(call->state, call->output_types, size);
    return TN_OK;
}

void drop_output_types(const tn_host *host, void *state) {
    TN_SERVICE(host, memory)->free(host, state);
}
