#include "eval_pictures.h"

#include <stdlib.h>
#include <string.h>

#include "labels.h"
#include "picture.h"
#include "tensors.h"

typedef struct picture_evaluation {
    const cli_arguments *arguments;
    tn_runtime *runtime;
    tn_graph *graph;
    tn_device *device;
    tn_session *session;
    cli_picture_options preparation;
    tn_tensor_type wanted; /* what the model declares of its input */
    uint64_t count;
    double seconds; /* in the network alone */
} picture_evaluation;

static int open_all(picture_evaluation *work) {
    const cli_arguments *arguments = work->arguments;
    work->runtime = cli_open_runtime(arguments);
    work->graph = work->runtime == NULL
                      ? NULL
                      : cli_read_model(work->runtime, arguments, arguments->words[0]);
    work->device = work->graph == NULL ? NULL : cli_open_device(work->runtime, arguments);
    if (work->device == NULL) {
        return CLI_FAILED;
    }
    const int result = cli_picture_options_read(arguments, arguments->words[0], &work->preparation);
    if (result != CLI_OK) {
        return result;
    }
    if (tn_session_create(work->graph, work->device, NULL, &work->session) != TN_OK) {
        return cli_fail();
    }
    if (tn_session_input_count(work->session) != 1) {
        return cli_fail_with("the model has %u inputs: eval feeds one",
                             tn_session_input_count(work->session));
    }
    return CLI_OK;
}

/* The model's input as it declares it, and the graph changed by the passes asked for. */
static int prepare_graph(picture_evaluation *work) {
    tn_named_type input = {tn_session_input_name(work->session, 0), {0}};
    const uint32_t node = tn_graph_find_node(work->graph, input.name);
    if (tn_graph_infer(work->graph, NULL, 0) != TN_OK ||
        tn_graph_type(work->graph, (tn_value){node, 0}, &work->wanted) != TN_OK) {
        return cli_fail();
    }
    input.type = work->wanted;
    const int result =
        cli_change_graph(work->runtime, work->arguments, "2", work->graph, &input, 1, NULL);
    if (result != CLI_OK) {
        return result;
    }
    tn_session_destroy(work->session);
    work->session = NULL;
    return tn_session_create(work->graph, work->device, NULL, &work->session) == TN_OK ? CLI_OK
                                                                                       : cli_fail();
}

static int run_network(picture_evaluation *work, const char *path, tn_tensor *input,
                       tn_tensor **outputs) {
    const double start = cli_seconds();
    const tn_status status = tn_session_run(work->session, &input, outputs);
    work->seconds += cli_seconds() - start;
    tn_tensor *scores = status == TN_OK ? cli_fetch(work->runtime, outputs[0]) : (cli_fail(), NULL);
    const int result =
        scores == NULL ? CLI_FAILED : cli_print_classes(work->arguments, path, scores);
    tn_tensor_release(scores);
    return result;
}

static int evaluate(picture_evaluation *work, const char *path) {
    const uint32_t output_count = tn_session_output_count(work->session);
    const tn_dtype dtype = work->wanted.dtype != 0 ? work->wanted.dtype : TN_F32;
    tn_tensor *picture = cli_read_picture(work->runtime, path, &work->preparation, &work->wanted);
    tn_tensor *input = picture == NULL ? NULL : cli_cast(work->runtime, picture, dtype);
    tn_tensor **outputs = calloc(output_count + 1, sizeof *outputs);
    int result = CLI_FAILED;
    if (outputs == NULL) {
        cli_fail_with("out of memory");
    } else if (input != NULL) {
        result = run_network(work, path, input, outputs);
    }
    for (uint32_t i = 0; outputs != NULL && i < output_count; i++) {
        tn_tensor_release(outputs[i]);
    }
    free(outputs);
    tn_tensor_release(input);
    tn_tensor_release(picture);
    return result;
}

static int evaluate_all(picture_evaluation *work, bool json) {
    const cli_arguments *arguments = work->arguments;
    int result = CLI_OK;
    cli_print(json ? "{\"pictures\": [" : "");
    for (int i = 0; result == CLI_OK && i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, "--picture") == 0) {
            cli_print(json && work->count > 0 ? ",\n" : "");
            result = evaluate(work, arguments->options[i].value);
            work->count++;
        }
    }
    if (result == CLI_OK) {
        const double rate = work->seconds > 0 ? (double)work->count / work->seconds : 0;
        cli_print(json ? "], \"device\": \"%s\", \"pictures_per_second\": %.1f}\n"
                       : "on %s, %.1f pictures/s\n",
                  tn_device_name(work->device), rate);
    }
    return result;
}

int cli_eval_pictures(const cli_arguments *arguments) {
    picture_evaluation work = {.arguments = arguments};
    int result = open_all(&work);
    if (result == CLI_OK) {
        result = prepare_graph(&work);
    }
    if (result == CLI_OK) {
        result = evaluate_all(&work, cli_has(arguments, "--json"));
    }
    tn_session_destroy(work.session);
    tn_device_close(work.device);
    tn_graph_destroy(work.graph);
    tn_runtime_destroy(work.runtime);
    return result;
}
