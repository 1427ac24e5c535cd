/* The one file in C++: only C++ can catch what a library throws. */
#include "calls.h"

#include <cstdio>
#include <cxxabi.h>
#include <exception>
#include <new>

namespace {

template <typename Call> int guarded(call_words *words, Call call) {
    try {
        return call() == EXTENSION_FAILED ? EXTENSION_FAILED : EXTENSION_SUCCEEDED;
    } catch (abi::__forced_unwind &) {
        throw; /* the thread is being ended */
    } catch (const std::bad_alloc &) {
        std::snprintf(words->text, sizeof words->text, "it found no memory");
        return EXTENSION_NO_MEMORY;
    } catch (const std::exception &exception) {
        std::snprintf(words->text, sizeof words->text, "it threw an exception: %s",
                      exception.what());
    } catch (...) {
        std::snprintf(words->text, sizeof words->text, "it threw an exception");
    }
    return EXTENSION_THREW;
}

} // namespace

#define OPTIONS(options) (options).keys, (options).values, (options).count
#define TENSORS(tensors)                                                                           \
    (tensors).shapes, (tensors).ranks, (tensors).data, (tensors).dtypes, (tensors).ids,            \
        (tensors).devices, (tensors).device_indices, (tensors).count
#define ARRAYS(arrays)                                                                             \
    (arrays).names, (arrays).count, (arrays).data, (arrays).shapes, (arrays).ranks,                \
        (arrays).dtypes, (arrays).ids, (arrays).devices, (arrays).device_indices

int call_guarded(int (*body)(void *context), void *context, call_words *words) {
    int result = EXTENSION_SUCCEEDED;
    const int ended = guarded(words, [&] {
        result = body(context);
        return EXTENSION_SUCCEEDED;
    });
    return ended == EXTENSION_SUCCEEDED ? result : ended;
}

void call_free(const extension_exports *exports, void *memory) {
    call_words words;
    guarded(&words, [&] {
        exports->free_memory(memory);
        return EXTENSION_SUCCEEDED;
    });
}

const char *call_message(const extension_exports *exports, int index) {
    const char *message = nullptr;
    call_words words;
    const int result = guarded(&words, [&] {
        exports->message(index, &message);
        return EXTENSION_SUCCEEDED;
    });
    return result == EXTENSION_SUCCEEDED ? message : nullptr;
}

int call_message_count(const extension_exports *exports) {
    int count = 0;
    call_words words;
    guarded(&words, [&] {
        count = exports->message_count();
        return EXTENSION_SUCCEEDED;
    });
    return count;
}

int call_initialize(const extension_exports *exports, int version, call_words *words) {
    return guarded(words, [&] { return exports->initialize(version); });
}

int call_parse(const extension_exports *exports, extension_function parse,
               const call_options *options, int *out_inputs, int *out_outputs, call_words *words) {
    return guarded(
        words, [&] { return exports->parse(parse, OPTIONS(*options), out_inputs, out_outputs); });
}

int call_infer_type(const extension_exports *exports, extension_function type,
                    const call_options *options, int *inputs, int input_count, int *outputs,
                    int output_count, call_words *words) {
    return guarded(words, [&] {
        return exports->infer_type(type, OPTIONS(*options), inputs, input_count, outputs,
                                   output_count);
    });
}

int call_infer_storage(const extension_exports *exports, extension_function storage,
                       const call_options *options, int *inputs, int input_count, int *outputs,
                       int output_count, call_words *words) {
    return guarded(words, [&] {
        return exports->infer_storage(storage, OPTIONS(*options), inputs, input_count, outputs,
                                      output_count);
    });
}

int call_infer_shape(const extension_exports *exports, extension_function shape,
                     const call_options *options, unsigned **inputs, int *input_ranks,
                     int input_count, int output_count, call_shapes *out_shapes,
                     call_words *words) {
    return guarded(words, [&] {
        return exports->infer_shape(shape, OPTIONS(*options), inputs, input_ranks, input_count,
                                    &out_shapes->inputs, &out_shapes->input_ranks,
                                    &out_shapes->outputs, &out_shapes->output_ranks, output_count);
    });
}

int call_mutate(const extension_exports *exports, extension_function mutate,
                const call_options *options, int **out_indices, int *out_count, call_words *words) {
    return guarded(
        words, [&] { return exports->mutate(mutate, OPTIONS(*options), out_indices, out_count); });
}

int call_create_state(const extension_exports *exports, const call_create *create, void **out_state,
                      call_words *words) {
    return guarded(words, [&] {
        return exports->create_state_7 != nullptr
                   ? exports->create_state_7(create->function, OPTIONS(create->options), out_state)
                   : exports->create_state(create->function, OPTIONS(create->options), "cpu", 0,
                                           create->shapes, create->ranks, create->input_count,
                                           create->dtypes, out_state);
    });
}

int call_destroy_state(const extension_exports *exports, void *state, call_words *words) {
    return guarded(words, [&] {
        exports->destroy_state(state);
        return EXTENSION_SUCCEEDED;
    });
}

#define COMPUTE(c)                                                                                 \
    TENSORS((c).inputs), TENSORS((c).outputs), (c).allocate, (c).context, no_gpu_memory, nullptr,  \
        nullptr, (c).allocate_sparse, (c).context, (c).inputs.storages, (c).outputs.storages,      \
        (c).inputs.indices, (c).outputs.indices, (c).inputs.row_starts, (c).outputs.row_starts,    \
        (c).inputs.index_counts, (c).outputs.index_counts, (c).inputs.row_start_counts,            \
        (c).outputs.row_start_counts, (c).random_states, nullptr

static void *no_gpu_memory(void *, int) {
    return nullptr;
}

int call_run(const extension_exports *exports, const call_compute *compute, call_words *words) {
    return guarded(words, [&] {
        return compute->function != nullptr
                   ? exports->compute(compute->function, OPTIONS(compute->options),
                                      COMPUTE(*compute))
                   : exports->compute_stateful(compute->is_forward, compute->state,
                                               COMPUTE(*compute));
    });
}

int call_pass(const extension_exports *exports, extension_function pass, const char *name,
              const char *json, const call_options *options, const call_arrays *arguments,
              const call_arrays *auxiliaries, extension_allocate_array allocate,
              const void *context, char **out_json, call_words *words) {
    return guarded(words, [&] {
        return exports->run_pass(pass, json, out_json, OPTIONS(*options), name, ARRAYS(*arguments),
                                 ARRAYS(*auxiliaries), allocate, context);
    });
}

int call_supported_ops(const extension_exports *exports, extension_function supported,
                       const char *json, int *groups, int count, const call_options *options,
                       call_words *words) {
    return guarded(words, [&] {
        return exports->supported_ops(supported, json, count, groups, OPTIONS(*options));
    });
}

int call_create_selector(const extension_exports *exports, extension_function create,
                         const char *json, const call_options *options, void **out_selector,
                         call_words *words) {
    return guarded(words, [&] {
        return exports->create_selector(create, json, out_selector, OPTIONS(*options));
    });
}

int call_select(const extension_exports *exports, call_selection which, void *selector, int node,
                int other, int *out_selected, call_words *words) {
    return guarded(words, [&] {
        switch (which) {
        case CALL_SELECT: exports->select(selector, node, out_selected); break;
        case CALL_SELECT_INPUT: exports->select_input(selector, node, other, out_selected); break;
        default: exports->select_output(selector, node, other, out_selected); break;
        }
        return EXTENSION_SUCCEEDED;
    });
}

int call_filter(const extension_exports *exports, void *selector, int *nodes, int count,
                int **out_kept, int *out_kept_count, call_words *words) {
    return guarded(words, [&] {
        exports->filter(selector, nodes, count, out_kept, out_kept_count);
        return EXTENSION_SUCCEEDED;
    });
}

int call_reset(const extension_exports *exports, void *selector, call_words *words) {
    return guarded(words, [&] {
        exports->reset(selector);
        return EXTENSION_SUCCEEDED;
    });
}

int call_review(const extension_exports *exports, extension_function review, const char *json,
                int index, const call_options *options, const call_arrays *arguments,
                const call_arrays *auxiliaries, int *out_accept, call_attributes *out_attributes,
                call_words *words) {
    return guarded(words, [&] {
        return exports->review(review, json, index, out_accept, OPTIONS(*options),
                               &out_attributes->keys, &out_attributes->values,
                               &out_attributes->count, ARRAYS(*arguments), ARRAYS(*auxiliaries));
    });
}
