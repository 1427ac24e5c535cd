/* tenon eval: a classifier over a data set, or over pictures. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contact_sheet.h"
#include "eval_pictures.h"
#include "labels.h"
#include "picture.h"
#include "tensors.h"

static const cli_option options[] = {
    {"--data", "KIND:OPTION=VALUE,…", "the data set: idx:images=FILE,labels=FILE"},
    CLI_PICTURE_OPTIONS,
    CLI_LABEL_OPTIONS,
    {"--device", "DEVICE", "run on this device (`tenon devices`); cpu unless given"},
    {"--batch", "COUNT", "samples a run; 100 unless given"},
    {"--limit", "COUNT", "only so many samples"},
    {"--contact-sheet", "FILE.png", "draw the first samples, the wrong ones in red frames"},
    {"--sheet-size", "COUNT", "pictures a side of the contact sheet; 24 unless given"},
    {"--format", "NAME", "read the model in this format instead of the one it looks like"},
    {"--format-option", "NAME=VALUE", "an option of the format; repeatable"},
    {"--json", NULL, "print the result as JSON"},
    {"--seed", "NUMBER", "what random numbers follow from; 0 unless given"},
    CLI_PASS_OPTIONS,
};

enum { MAX_CLASSES = 65536 };

typedef struct evaluation {
    tn_runtime *runtime;
    tn_graph *graph;
    tn_device *device;
    tn_session *session;
    tn_open_dataset *dataset;
    const tn_dataset_info *info;
    uint32_t label; /* the component that holds the label */
    tn_dtype input_dtype;
    uint64_t count, batch;
    int64_t classes;
    uint64_t *total, *right; /* by class */
    uint64_t right_in_all;
    double seconds; /* in the network alone */
    bool draws;
    cli_contact_sheet sheet;
} evaluation;

static void finish(evaluation *work) {
    cli_contact_sheet_finish(&work->sheet);
    free(work->total);
    free(work->right);
    tn_dataset_close(work->dataset);
    tn_session_destroy(work->session);
    tn_device_close(work->device);
    tn_graph_destroy(work->graph);
    tn_runtime_destroy(work->runtime);
}

static int find_label(evaluation *work) {
    for (uint32_t i = 1; i < work->info->component_count; i++) {
        if (strcmp(work->info->components[i].name, "label") == 0) {
            work->label = i;
            return CLI_OK;
        }
    }
    return cli_fail_with("the data set has no labels to compare with");
}

/* Passes know of the samples all but how many there are: the last batch may be smaller. */
static int change_graph(evaluation *work, const cli_arguments *arguments,
                        const tn_named_type *input) {
    tn_named_type type = *input;
    type.type.shape.extents[0] = TN_UNKNOWN;
    const int result = cli_change_graph(work->runtime, arguments, "2", work->graph, &type, 1, NULL);
    if (result != CLI_OK) {
        return result;
    }
    tn_session_destroy(work->session);
    work->session = NULL;
    return tn_session_create(work->graph, work->device, NULL, &work->session) == TN_OK ? CLI_OK
                                                                                       : cli_fail();
}

/* The dtype that the graph wants of its input, found by inference from the sample's shape. */
static int prepare_graph(evaluation *work, const cli_arguments *arguments) {
    const tn_component *data = &work->info->components[0];
    tn_named_type type = {tn_session_input_name(work->session, 0), {0}};
    tn_tensor_type inferred;
    type.type.shape.rank = data->shape.rank + 1;
    if (type.type.shape.rank > TN_MAX_RANK) {
        return cli_fail_with("samples of rank %d are more than a batch can hold",
                             (int)data->shape.rank);
    }
    type.type.shape.extents[0] = (int64_t)work->batch;
    memcpy(type.type.shape.extents + 1, data->shape.extents,
           (size_t)data->shape.rank * sizeof(int64_t));
    if (tn_graph_infer(work->graph, &type, 1) != TN_OK) {
        return cli_fail();
    }
    const uint32_t node = tn_graph_find_node(work->graph, type.name);
    if (tn_graph_type(work->graph, (tn_value){node, 0}, &inferred) != TN_OK) {
        return cli_fail();
    }
    work->input_dtype = inferred.dtype != 0 ? inferred.dtype : TN_F32;
    return change_graph(work, arguments, &type);
}

static int open_all(evaluation *work, const cli_arguments *arguments) {
    work->runtime = cli_open_runtime(arguments);
    if (work->runtime == NULL) {
        return CLI_FAILED;
    }
    work->graph = cli_read_model(work->runtime, arguments, arguments->words[0]);
    if (work->graph == NULL) {
        return CLI_FAILED;
    }
    work->device = cli_open_device(work->runtime, arguments);
    if (work->device == NULL) {
        return CLI_FAILED;
    }
    if (tn_session_create(work->graph, work->device, NULL, &work->session) != TN_OK ||
        tn_dataset_open(work->runtime, cli_value(arguments, "--data"), &work->dataset) != TN_OK) {
        return cli_fail();
    }
    work->info = tn_dataset_describe(work->dataset);
    if (tn_session_input_count(work->session) != 1) {
        return cli_fail_with("the model has %u inputs: eval feeds one",
                             tn_session_input_count(work->session));
    }
    work->count = work->count < work->info->length ? work->count : work->info->length;
    const int result = find_label(work);
    return result == CLI_OK ? prepare_graph(work, arguments) : result;
}

static int open_sheet(evaluation *work, uint64_t side) {
    const int64_t count = (int64_t)side;
    return cli_contact_sheet_init(&work->sheet, work->runtime, &work->info->components[0], count,
                                  count)
               ? CLI_OK
               : CLI_FAILED;
}

static void show_progress(uint64_t done, uint64_t count) {
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    const uint64_t filled = count == 0 ? WIDTH : done * WIDTH / count;
    for (uint64_t i = 0; i < WIDTH; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %llu of %llu%s", bar, (unsigned long long)done,
            (unsigned long long)count, done == count ? "\n" : "");
}

/* The first output's (samples, classes) decide the number of classes. */
static int learn_classes(evaluation *work, const tn_view *scores, uint64_t count) {
    if (scores->rank != 2 || scores->shape[0] != (int64_t)count || scores->shape[1] < 1 ||
        scores->shape[1] > MAX_CLASSES) {
        return cli_fail_with("the model's first output is no table of (samples, classes)");
    }
    if (work->total != NULL) {
        return CLI_OK;
    }
    work->classes = scores->shape[1];
    work->total = calloc((size_t)work->classes, sizeof(uint64_t));
    work->right = calloc((size_t)work->classes, sizeof(uint64_t));
    return work->total == NULL || work->right == NULL ? cli_fail_with("out of memory") : CLI_OK;
}

static int64_t best_class(const tn_view *scores, int64_t row) {
    int64_t best = 0;
    for (int64_t i = 1; i < scores->shape[1]; i++) {
        if (cli_element(scores, row * scores->shape[1] + i) >
            cli_element(scores, row * scores->shape[1] + best)) {
            best = i;
        }
    }
    return best;
}

static int count_batch(evaluation *work, tn_tensor *const *samples, const tn_tensor *scores,
                       uint64_t count) {
    const tn_view *view = tn_tensor_view(scores);
    const tn_view *labels = tn_tensor_view(samples[work->label]);
    const tn_component *data = &work->info->components[0];
    int result = learn_classes(work, view, count);
    for (uint64_t i = 0; result == CLI_OK && i < count; i++) {
        const int64_t label = (int64_t)cli_element(labels, (int64_t)i);
        if (label < 0 || label >= work->classes) {
            return cli_fail_with("a sample has the label %lld, but the model knows %lld classes",
                                 (long long)label, (long long)work->classes);
        }
        const bool is_right = best_class(view, (int64_t)i) == label;
        work->total[label]++;
        work->right[label] += is_right;
        work->right_in_all += is_right;
        if (work->draws) {
            const uint64_t size = tn_tensor_byte_size(samples[0]) / count;
            cli_contact_sheet_add(&work->sheet, data,
                                  (const uint8_t *)tn_tensor_data(samples[0]) + i * size, is_right);
        }
    }
    return result;
}

static int run_network(evaluation *work, tn_tensor *const *samples, tn_tensor **outputs,
                       uint64_t count) {
    tn_tensor *input = cli_cast(work->runtime, samples[0], work->input_dtype);
    if (input == NULL) {
        return CLI_FAILED;
    }
    const double start = cli_seconds();
    const tn_status status = tn_session_run(work->session, &input, outputs);
    work->seconds += cli_seconds() - start;
    tn_tensor_release(input);
    if (status != TN_OK) {
        return cli_fail();
    }
    tn_tensor *scores = cli_fetch(work->runtime, outputs[0]);
    const int result = scores == NULL ? CLI_FAILED : count_batch(work, samples, scores, count);
    tn_tensor_release(scores);
    return result;
}

static int evaluate_batch(evaluation *work, uint64_t first, uint64_t count) {
    const uint32_t parts = work->info->component_count;
    const uint32_t output_count = tn_session_output_count(work->session);
    tn_tensor **samples = calloc(parts, sizeof *samples);
    tn_tensor **outputs = calloc(output_count, sizeof *outputs);
    int result = CLI_FAILED;
    if (samples == NULL || outputs == NULL) {
        cli_fail_with("out of memory");
    } else if (tn_dataset_read(work->dataset, first, count, samples) != TN_OK) {
        cli_fail();
    } else {
        result = run_network(work, samples, outputs, count);
    }
    for (uint32_t i = 0; samples != NULL && i < parts; i++) {
        tn_tensor_release(samples[i]);
    }
    for (uint32_t i = 0; outputs != NULL && i < output_count; i++) {
        tn_tensor_release(outputs[i]);
    }
    free(samples);
    free(outputs);
    return result;
}

static int evaluate(evaluation *work) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    for (uint64_t first = 0; first < work->count; first += work->batch) {
        const uint64_t left = work->count - first;
        const uint64_t count = left < work->batch ? left : work->batch;
        const int result = evaluate_batch(work, first, count);
        if (result != CLI_OK) {
            return result;
        }
        if (terminal) {
            show_progress(first + count, work->count);
        }
    }
    return CLI_OK;
}

static const char *class_name(const evaluation *work, int64_t class, char *buffer, size_t size) {
    if (work->info->class_names != NULL && class < (int64_t)work->info->class_count) {
        return work->info->class_names[class];
    }
    snprintf(buffer, size, "%lld", (long long)class);
    return buffer;
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* Samples a second; 0 when nothing ran. */
static double throughput(const evaluation *work) {
    return work->seconds > 0 ? (double)work->count / work->seconds : 0;
}

static void report(const evaluation *work) {
    char buffer[32];
    cli_print("%-20s %8s %8s %9s\n", "class", "samples", "right", "accuracy");
    for (int64_t i = 0; i < work->classes; i++) {
        cli_print("%-20s %8llu %8llu %9.4f\n", class_name(work, i, buffer, sizeof buffer),
                  (unsigned long long)work->total[i], (unsigned long long)work->right[i],
                  ratio(work->right[i], work->total[i]));
    }
    cli_print("accuracy %.4f: %llu of %llu right on %s\n", ratio(work->right_in_all, work->count),
              (unsigned long long)work->right_in_all, (unsigned long long)work->count,
              tn_device_name(work->device));
    cli_print("throughput %.0f samples/s in batches of %llu\n", throughput(work),
              (unsigned long long)work->batch);
}

static void report_json(const evaluation *work) {
    char buffer[32];
    cli_print("{\"samples\": %llu, \"right\": %llu, \"accuracy\": %.6f, \"device\": \"%s\", "
              "\"batch\": %llu, \"samples_per_second\": %.1f, \"classes\": [",
              (unsigned long long)work->count, (unsigned long long)work->right_in_all,
              ratio(work->right_in_all, work->count), tn_device_name(work->device),
              (unsigned long long)work->batch, throughput(work));
    for (int64_t i = 0; i < work->classes; i++) {
        cli_print("%s{\"name\": ", i > 0 ? ", " : "");
        cli_print_json_string(cli_out, class_name(work, i, buffer, sizeof buffer));
        cli_print(", \"samples\": %llu, \"right\": %llu}", (unsigned long long)work->total[i],
                  (unsigned long long)work->right[i]);
    }
    cli_print("]}\n");
}

static int write_sheet(const evaluation *work, const char *path, bool json) {
    const int result = cli_contact_sheet_write(&work->sheet, work->runtime, path);
    if (result == CLI_OK && !json) {
        cli_print("contact sheet of %lld samples: %s\n", (long long)work->sheet.count, path);
    }
    return result;
}

static int run(const cli_arguments *arguments) {
    evaluation work = {0};
    uint64_t side;
    const bool has_pictures = cli_has(arguments, "--picture");
    if (arguments->word_count != 1 || cli_has(arguments, "--data") == has_pictures) {
        return cli_bad_usage("eval: expected one model and either --data or --picture; see `tenon "
                             "eval --help`");
    }
    if (has_pictures) {
        return cli_eval_pictures(arguments);
    }
    if (!cli_count(arguments, "--batch", 1u << 20, 100, &work.batch) ||
        !cli_count(arguments, "--limit", UINT64_MAX, UINT64_MAX, &work.count) ||
        !cli_count(arguments, "--sheet-size", 200, 24, &side)) {
        return CLI_USAGE;
    }
    const bool json = cli_has(arguments, "--json");
    const char *sheet = cli_value(arguments, "--contact-sheet");
    work.draws = sheet != NULL;
    int result = open_all(&work, arguments);
    if (result == CLI_OK && work.draws) {
        result = open_sheet(&work, side);
    }
    if (result == CLI_OK) {
        result = evaluate(&work);
    }
    if (result == CLI_OK) {
        (json ? report_json : report)(&work);
        result = work.draws ? write_sheet(&work, sheet, json) : CLI_OK;
    }
    finish(&work);
    return result;
}

const cli_command cli_eval = {
    "eval",
    "MODEL --data KIND:OPTION=VALUE,… | MODEL --picture FILE…",
    "Run a classifier over a data set or pictures, and report its accuracy or answers",
    "Of a data set it prints accuracy by class and in all, of each picture the classes with the\n"
    "highest scores; and the throughput of the network alone.\n\n"
    "Examples:\n"
    "  tenon eval fashion-mnist-symbol.json --data "
    "idx:images=t10k-images.gz,labels=t10k-labels.gz\n"
    "  tenon eval fashion-mnist-symbol.json --data idx:images=i.gz,labels=l.gz --limit 1000 "
    "--json\n"
    "  tenon eval squeezenet.onnx --picture cat.jpg --picture dog.jpg --labels imagenet.txt --top "
    "3",
    options,
    sizeof options / sizeof options[0],
    run,
};
