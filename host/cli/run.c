/* tenon run: a model once (or several times), inputs from files, outputs to files. */
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "labels.h"
#include "picture.h"
#include "profile.h"
#include "tensors.h"

static const cli_option options[] = {
    {"--input", "NAME=FILE",
     "an input, or a parameter or state in the place of the model's, from a file (FILE#ENTRY "
     "where it holds several); repeatable"},
    {"--shape", "NAME=1,3,8,8", "an input of zeros in this shape; repeatable"},
    CLI_PICTURE_OPTIONS,
    {"--output", "NAME=FILE", "write an output; the format follows from the name; repeatable"},
    {"--device", "DEVICE", "run on this device (`tenon devices`); cpu unless given"},
    {"--format", "NAME", "read the model in this format instead of the one it looks like"},
    {"--format-option", "NAME=VALUE", "an option of the format; repeatable"},
    {"--repeat", "COUNT", "run this often and print the times"},
    CLI_LABEL_OPTIONS,
    {"--explain", NULL, "print the plan: kernels, memory, and what each node of one more run took"},
    {"--tune", "FILE",
     "time the kernels that there are for each node, once, and use the fastest; what was measured "
     "is kept in this file"},
    {"--profile", "FILE.json|FILE.html",
     "write what each node of each run took: a Chrome trace, or a page with a timeline and a "
     "table"},
    {"--json", NULL, "print outputs as JSON, with all elements"},
    {"--seed", "NUMBER", "what random numbers follow from; 0 unless given"},
    CLI_PASS_OPTIONS,
};

/* Everything one run holds; ended as a whole. */
typedef struct run_state {
    tn_runtime *runtime;
    tn_graph *graph;
    tn_device *device;
    tn_tuning *tuning; /* NULL: kernels are chosen by rank */
    tn_session *session;
    tn_tensor **inputs;
    tn_tensor **outputs;
} run_state;

static void finish(run_state *state) {
    for (uint32_t i = 0; state->inputs != NULL && i < tn_session_input_count(state->session); i++) {
        tn_tensor_release(state->inputs[i]);
    }
    for (uint32_t i = 0; state->outputs != NULL && i < tn_session_output_count(state->session);
         i++) {
        tn_tensor_release(state->outputs[i]);
    }
    free(state->inputs);
    free(state->outputs);
    tn_session_destroy(state->session);
    tn_tuning_destroy(state->tuning);
    tn_device_close(state->device);
    tn_graph_destroy(state->graph);
    tn_runtime_destroy(state->runtime);
}

static tn_tensor *make_zeros(tn_runtime *runtime, const tn_shape *shape) {
    tn_tensor *tensor = NULL;
    if (tn_tensor_create(runtime, TN_F32, shape->rank, shape->extents, &tensor) != TN_OK) {
        cli_fail();
    } else {
        memset(tn_tensor_data(tensor), 0, tn_tensor_byte_size(tensor));
    }
    return tensor;
}

static int find_name(const tn_session *session, const char *name, bool output) {
    const uint32_t count =
        output ? tn_session_output_count(session) : tn_session_input_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const char *candidate =
            output ? tn_session_output_name(session, i) : tn_session_input_name(session, i);
        if (strcmp(candidate, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void complain_about_name(const tn_session *session, const char *name, bool output) {
    const char *what = output ? "output" : "input";
    fprintf(stderr, "tenon: the model has no %s %s; it has", what, name);
    const uint32_t count =
        output ? tn_session_output_count(session) : tn_session_input_count(session);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(stderr, " %s",
                output ? tn_session_output_name(session, i) : tn_session_input_name(session, i));
    }
    fputc('\n', stderr);
}

/* Another variable than an input: a parameter, or a state that the operators change. */
static bool is_other_variable(const tn_graph *graph, const char *name) {
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    const uint32_t node = tn_graph_find_node(graph, name);
    return node != TN_NO_NODE && tn_graph_node(graph, node, &info) == TN_OK && info.op == NULL &&
           tn_graph_variable_kind(graph, node) != TN_VARIABLE_INPUT;
}

static int set_variable(run_state *state, const char *name, tn_tensor *tensor) {
    const tn_status status = tn_graph_set_parameter(state->graph, name, tensor);
    tn_tensor_release(tensor);
    return status == TN_OK ? CLI_OK : cli_fail();
}

static int take_input(run_state *state, const cli_given *given) {
    const bool is_shape = strcmp(given->name, "--shape") == 0;
    char *name;
    const char *path = NULL;
    tn_shape shape;
    int result = CLI_OK;
    if (is_shape) {
        result = cli_parse_named_shape(given->value, &name, &shape);
    } else if (!cli_split(given->value, &name, &path)) {
        result = cli_fail_with("out of memory");
    }
    if (result != CLI_OK) {
        return result;
    }
    const int index = find_name(state->session, name, false);
    if (index < 0 && !is_other_variable(state->graph, name)) {
        complain_about_name(state->session, name, false);
        free(name);
        return CLI_USAGE;
    }
    tn_tensor *tensor =
        is_shape ? make_zeros(state->runtime, &shape) : cli_read_tensor(state->runtime, path);
    result = tensor == NULL ? CLI_FAILED : CLI_OK;
    if (index >= 0) {
        tn_tensor_release(state->inputs[index]);
        state->inputs[index] = tensor;
    } else if (tensor != NULL) {
        result = set_variable(state, name, tensor);
    }
    free(name);
    return result;
}

/* NAME=FILE, or FILE where there is one input. `out_index` is below 0 after a complaint. */
static const char *picture_of(const run_state *state, const char *text, int *out_index) {
    char *name = NULL;
    const char *path = text;
    const uint32_t count = tn_session_input_count(state->session);
    *out_index = cli_split(text, &name, &path) ? find_name(state->session, name, false) : -1;
    if (*out_index < 0 && count == 1 && (name == NULL || strchr(name, '/') != NULL)) {
        *out_index = 0; /* all of it is a path */
        path = text;
    } else if (*out_index < 0 && name == NULL) {
        cli_bad_usage("the model has %u inputs: give --picture NAME=%s", count, text);
    } else if (*out_index < 0) {
        complain_about_name(state->session, name, false);
    }
    free(name);
    return path;
}

static int take_picture(run_state *state, const cli_arguments *arguments, const char *text) {
    cli_picture_options preparation;
    tn_tensor_type wanted = {0};
    int index;
    const char *path = picture_of(state, text, &index);
    int result = index < 0 ? CLI_USAGE
                           : cli_picture_options_read(arguments, arguments->words[0], &preparation);
    if (result != CLI_OK) {
        return result;
    }
    const uint32_t node =
        tn_graph_find_node(state->graph, tn_session_input_name(state->session, (uint32_t)index));
    if (tn_graph_infer(state->graph, NULL, 0) != TN_OK ||
        tn_graph_type(state->graph, (tn_value){node, 0}, &wanted) != TN_OK) {
        return cli_fail();
    }
    tn_tensor_release(state->inputs[index]);
    state->inputs[index] = cli_read_picture(state->runtime, path, &preparation, &wanted);
    return state->inputs[index] == NULL ? CLI_FAILED : CLI_OK;
}

/* Takes another session for the changed graph, and the inputs that it still has. */
static int renew_session(run_state *state) {
    const tn_session_options session_options = {.struct_size = TN_SESSION_OPTIONS_SIZE,
                                                .tuning = state->tuning};
    tn_session *session;
    if (tn_session_create(state->graph, state->device, &session_options, &session) != TN_OK) {
        return cli_fail();
    }
    const uint32_t count = tn_session_input_count(session);
    tn_tensor **inputs = calloc((size_t)count + 1, sizeof *inputs);
    for (uint32_t i = 0; inputs != NULL && i < tn_session_input_count(state->session); i++) {
        const int index = find_name(session, tn_session_input_name(state->session, i), false);
        if (index >= 0) {
            inputs[index] = state->inputs[i];
        } else {
            tn_tensor_release(state->inputs[i]);
        }
    }
    if (inputs == NULL) {
        tn_session_destroy(session);
        return cli_fail_with("out of memory");
    }
    free(state->inputs);
    tn_session_destroy(state->session);
    state->inputs = inputs;
    state->session = session;
    return CLI_OK;
}

/* Runs the passes, which may rely on the types of the inputs of this run. */
static int change_graph(run_state *state, const cli_arguments *arguments) {
    const uint32_t count = tn_session_input_count(state->session);
    tn_named_type *types = calloc((size_t)count + 1, sizeof *types);
    if (types == NULL) {
        return cli_fail_with("out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        const tn_view *view = tn_tensor_view(state->inputs[i]);
        types[i].name = tn_session_input_name(state->session, i);
        types[i].type.dtype = view->dtype;
        types[i].type.storage = tn_tensor_storage(state->inputs[i]);
        types[i].type.shape.rank = view->rank;
        memcpy(types[i].type.shape.extents, view->shape, (size_t)view->rank * sizeof(int64_t));
    }
    const int result =
        cli_change_graph(state->runtime, arguments, "2", state->graph, types, count, NULL);
    free(types);
    return result == CLI_OK ? renew_session(state) : result;
}

/* `tensor` NULL: the conversion failed. */
static int replace(tn_tensor **input, tn_tensor *tensor) {
    tn_tensor_release(*input);
    *input = tensor;
    return tensor == NULL ? CLI_FAILED : CLI_OK;
}

/* Converts inputs to the types that the graph wants, where it says: a picture's bytes to floats. */
static int cast_inputs(run_state *state) {
    const uint32_t count = tn_session_input_count(state->session);
    tn_named_type *types = calloc(count + 1, sizeof *types);
    if (types == NULL) {
        return cli_fail_with("out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        const tn_view *view = tn_tensor_view(state->inputs[i]);
        types[i].name = tn_session_input_name(state->session, i);
        types[i].type.shape.rank = view->rank;
        memcpy(types[i].type.shape.extents, view->shape, (size_t)view->rank * sizeof(int64_t));
        if (tn_tensor_storage(state->inputs[i]) != TN_STORAGE_DENSE) {
            types[i].type.storage = tn_tensor_storage(state->inputs[i]);
        }
    }
    int result = tn_graph_infer(state->graph, types, count) == TN_OK ? CLI_OK : cli_fail();
    for (uint32_t i = 0; result == CLI_OK && i < count; i++) {
        tn_tensor_type type;
        const uint32_t node = tn_graph_find_node(state->graph, types[i].name);
        if (tn_graph_type(state->graph, (tn_value){node, 0}, &type) != TN_OK) {
            continue;
        }
        if (type.dtype != 0) {
            result =
                replace(&state->inputs[i], cli_cast(state->runtime, state->inputs[i], type.dtype));
        }
        if (result == CLI_OK && type.storage != tn_tensor_storage(state->inputs[i])) {
            result = replace(&state->inputs[i],
                             cli_cast_storage(state->runtime, state->inputs[i], type.storage));
        }
    }
    free(types);
    return result;
}

static int gather_inputs(run_state *state, const cli_arguments *arguments) {
    for (int i = 0; i < arguments->option_count; i++) {
        const cli_given *given = &arguments->options[i];
        if (strcmp(given->name, "--input") == 0 || strcmp(given->name, "--shape") == 0) {
            const int result = take_input(state, given);
            if (result != CLI_OK) {
                return result;
            }
        } else if (strcmp(given->name, "--picture") == 0) {
            const int result = take_picture(state, arguments, given->value);
            if (result != CLI_OK) {
                return result;
            }
        }
    }
    for (uint32_t i = 0; i < tn_session_input_count(state->session); i++) {
        if (state->inputs[i] == NULL) {
            return cli_bad_usage(
                "input %s is missing: give --input %s=FILE, --picture %s=FILE.png or --shape %s=…",
                tn_session_input_name(state->session, i), tn_session_input_name(state->session, i),
                tn_session_input_name(state->session, i), tn_session_input_name(state->session, i));
        }
    }
    const int result = cast_inputs(state);
    return result == CLI_OK ? change_graph(state, arguments) : result;
}

/* Measures what the file does not know yet. */
static int tune(run_state *state, const char *path) {
    if (tn_tuning_create(state->runtime, &state->tuning) != TN_OK) {
        return cli_fail();
    }
    const tn_status status = tn_tuning_read(state->tuning, path);
    if ((status != TN_OK && status != TN_NOT_FOUND) ||
        tn_tuning_measure(state->tuning, state->graph, state->device, state->inputs) != TN_OK ||
        tn_tuning_write(state->tuning, path) != TN_OK) {
        return cli_fail();
    }
    return renew_session(state);
}

static int compare_times(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static int run_often(run_state *state, uint64_t repeat) {
    double *times = calloc(repeat, sizeof *times);
    if (times == NULL) {
        return cli_fail_with("out of memory");
    }
    tn_status status = TN_OK;
    for (uint64_t i = 0; status == TN_OK && i < repeat; i++) {
        const double start = cli_seconds();
        status = tn_session_run(state->session, state->inputs, state->outputs);
        times[i] = cli_seconds() - start;
    }
    if (status == TN_OK && repeat > 1) {
        const double first = times[0];
        qsort(times + 1, repeat - 1, sizeof *times, compare_times);
        fprintf(stderr,
                "first run %.3f ms with planning; then minimum %.3f, median %.3f, maximum "
                "%.3f ms over %llu runs\n",
                first * 1e3, times[1] * 1e3, times[repeat / 2] * 1e3, times[repeat - 1] * 1e3,
                (unsigned long long)(repeat - 1));
    }
    free(times);
    return status == TN_OK ? CLI_OK : cli_fail();
}

/* One run more, timed, whose outputs nobody wants, unless the runs were timed anyway. */
static int time_steps(run_state *state, bool is_timed) {
    const uint32_t count = tn_session_output_count(state->session);
    if (is_timed) {
        return CLI_OK;
    }
    tn_tensor **outputs = calloc((size_t)count + 1, sizeof *outputs);
    if (outputs == NULL) {
        return cli_fail_with("out of memory");
    }
    const int result = tn_session_set_profiling(state->session, 1) == TN_OK &&
                               tn_session_run(state->session, state->inputs, outputs) == TN_OK
                           ? CLI_OK
                           : cli_fail();
    for (uint32_t i = 0; i < count; i++) {
        tn_tensor_release(outputs[i]);
    }
    free(outputs);
    return result;
}

/* Outputs may lie on a device: what is printed or written is a host copy. */
static int fetch_outputs(run_state *state) {
    for (uint32_t i = 0; i < tn_session_output_count(state->session); i++) {
        const tn_view *view = tn_tensor_view(state->outputs[i]);
        tn_tensor *copy;
        if (tn_tensor_data(state->outputs[i]) != NULL ||
            tn_tensor_storage(state->outputs[i]) != TN_STORAGE_DENSE) {
            continue;
        }
        if (tn_tensor_create(state->runtime, view->dtype, view->rank, view->shape, &copy) !=
            TN_OK) {
            return cli_fail();
        }
        if (tn_tensor_copy(state->outputs[i], copy) != TN_OK) {
            tn_tensor_release(copy);
            return cli_fail();
        }
        tn_tensor_release(state->outputs[i]);
        state->outputs[i] = copy;
    }
    return CLI_OK;
}

static int write_output(run_state *state, const cli_given *given) {
    char *name;
    const char *path;
    if (!cli_split(given->value, &name, &path)) {
        return cli_fail_with("out of memory");
    }
    const int index = find_name(state->session, name, true);
    int result = CLI_USAGE;
    if (index < 0) {
        complain_about_name(state->session, name, true);
    } else {
        result = cli_write_tensor(state->runtime, path, NULL, state->outputs[index]);
    }
    free(name);
    return result;
}

static int deliver(run_state *state, const cli_arguments *arguments) {
    int result = fetch_outputs(state);
    for (int i = 0; result == CLI_OK && i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, "--output") == 0) {
            result = write_output(state, &arguments->options[i]);
        }
    }
    const bool json = cli_has(arguments, "--json");
    if (result != CLI_OK || (!json && cli_has(arguments, "--output"))) {
        return result;
    }
    fputs(json ? "{\"outputs\": [" : "", cli_out);
    for (uint32_t i = 0; i < tn_session_output_count(state->session); i++) {
        const char *name = tn_session_output_name(state->session, i);
        if (json) {
            fputs(i > 0 ? ",\n " : "", cli_out);
            cli_print_tensor_json(cli_out, name, state->outputs[i]);
        } else if (cli_wants_classes(arguments)) {
            result = cli_print_classes(arguments, name, state->outputs[i]);
            if (result != CLI_OK) {
                return result;
            }
        } else {
            cli_print_tensor(cli_out, name, state->outputs[i]);
        }
    }
    fputs(json ? "]}\n" : "", cli_out);
    return CLI_OK;
}

static int open_session(run_state *state, const cli_arguments *arguments) {
    state->runtime = cli_open_runtime(arguments);
    if (state->runtime == NULL) {
        return CLI_FAILED;
    }
    state->graph = cli_read_model(state->runtime, arguments, arguments->words[0]);
    if (state->graph == NULL) {
        return CLI_FAILED;
    }
    state->device = cli_open_device(state->runtime, arguments);
    if (state->device == NULL) {
        return CLI_FAILED;
    }
    if (tn_session_create(state->graph, state->device, NULL, &state->session) != TN_OK) {
        return cli_fail();
    }
    state->inputs = calloc(tn_session_input_count(state->session) + 1, sizeof(tn_tensor *));
    state->outputs = calloc(tn_session_output_count(state->session) + 1, sizeof(tn_tensor *));
    return state->inputs == NULL || state->outputs == NULL ? cli_fail_with("out of memory")
                                                           : CLI_OK;
}

static int run(const cli_arguments *arguments) {
    uint64_t repeat;
    if (arguments->word_count != 1) {
        return cli_bad_usage("run: expected one model; see `tenon run --help`");
    }
    if (!cli_count(arguments, "--repeat", 1000000, 1, &repeat)) {
        return CLI_USAGE;
    }
    run_state state = {0};
    int result = open_session(&state, arguments);
    if (result == CLI_OK) {
        result = gather_inputs(&state, arguments);
    }
    const char *tuning = cli_value(arguments, "--tune");
    if (result == CLI_OK && tuning != NULL) {
        result = tune(&state, tuning);
    }
    const char *profile = cli_value(arguments, "--profile");
    if (result == CLI_OK && profile != NULL) {
        result = cli_profile_begin(state.session, profile);
    }
    if (result == CLI_OK) {
        result = run_often(&state, repeat);
    }
    if (result == CLI_OK && profile != NULL) {
        result = cli_profile_write(state.session, profile);
    }
    if (result == CLI_OK && cli_has(arguments, "--explain")) {
        result = time_steps(&state, profile != NULL);
        if (result == CLI_OK) {
            cli_explain(state.session);
        }
    }
    if (result == CLI_OK) {
        result = deliver(&state, arguments);
    }
    finish(&state);
    return result;
}

const cli_command cli_run = {
    "run",
    "MODEL --input NAME=FILE… [--output NAME=FILE…]",
    "Run a model with inputs from files",
    "Prints the outputs, or writes those that --output names. A model is an MXNet symbol\n"
    "(NAME-symbol.json, with NAME-0000.params beside it) or Tenon's own JSON; other formats\n"
    "come as plugins.\n\n"
    "Examples:\n"
    "  tenon run lenet-symbol.json --input data=digits.npy\n"
    "  tenon run lenet-symbol.json --input data=digits.npy --output fc2_output=scores.npy\n"
    "  tenon run resnet-symbol.json --shape data=1,3,224,224 --repeat 20 --explain\n"
    "  tenon run squeezenet.onnx --picture cat.png --labels imagenet.txt --top 5",
    options,
    sizeof options / sizeof options[0],
    run,
};
