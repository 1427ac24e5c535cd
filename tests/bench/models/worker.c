/*
 * One model in one process, for bench_models.py: loads it, runs it once, says so, and then does
 * what each line of its standard input asks, answering with a line of JSON.
 *
 *   worker MODEL OUTPUT_DIRECTORY THREADS PASSES FORMAT_OPTION|- INPUT=FILE…
 *
 *   run SECONDS   runs for that long, at least three times; answers {"times": [seconds…]}
 *   end           answers {"peak": bytes} and ends
 *
 * The outputs of the first run go to OUTPUT_DIRECTORY/INDEX.npy.
 */
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "../bench.h"

enum { MOST_RUNS = 100000 };

typedef struct worker {
    tn_runtime *runtime;
    tn_device *device;
    tn_graph *graph;
    tn_session *session;
    tn_tensor **inputs, **outputs;
} worker;

static void open_model(worker *self, char **argv) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE,
                                        .thread_count = (uint32_t)atoi(argv[3])};
    bench_check(tn_runtime_create(&options, &self->runtime), "runtime");
    bench_check(tn_plugin_load_all(self->runtime, NULL, 0, 0), "plugins");
    bench_check(tn_device_open(self->runtime, "cpu", &self->device), "cpu");
    char *value = strchr(argv[5], '=');
    tn_option option = {argv[5], NULL};
    if (value != NULL) {
        *value = '\0';
        option.value = value + 1;
    }
    bench_check(tn_graph_read(self->runtime, argv[1], NULL, &option, value != NULL, &self->graph),
                argv[1]);
    bench_check(tn_session_create(self->graph, self->device, NULL, &self->session), "session");
}

static uint32_t input_index(const tn_session *session, const char *name) {
    for (uint32_t i = 0; i < tn_session_input_count(session); i++) {
        if (strcmp(tn_session_input_name(session, i), name) == 0) {
            return i;
        }
    }
    fprintf(stderr, "bench: the model has no input %s\n", name);
    exit(1);
}

static tn_tensor *read_array(tn_runtime *runtime, const char *path) {
    tn_tensor_list *list;
    bench_check(tn_tensor_list_read(runtime, path, &list), path);
    tn_tensor *tensor = tn_tensor_list_get(list, 0);
    tn_tensor_retain(tensor);
    tn_tensor_list_destroy(list);
    return tensor;
}

/* Inputs are kept by the number that the first session has; a pass that drops one would need more.
 */
static void read_inputs(worker *self, char **arguments, int count) {
    self->inputs = calloc((size_t)count + 1, sizeof(tn_tensor *));
    for (int i = 0; i < count; i++) {
        char *value = strchr(arguments[i], '=');
        *value = '\0';
        self->inputs[input_index(self->session, arguments[i])] =
            read_array(self->runtime, value + 1);
    }
}

static void optimize(worker *self, const char *passes, int count) {
    tn_pipeline *pipeline;
    tn_named_type types[64] = {0};
    for (int i = 0; i < count && i < 64; i++) {
        const tn_view *view = tn_tensor_view(self->inputs[i]);
        types[i].name = tn_session_input_name(self->session, (uint32_t)i);
        types[i].type.dtype = view->dtype;
        types[i].type.shape.rank = view->rank;
        memcpy(types[i].type.shape.extents, view->shape, (size_t)view->rank * sizeof(int64_t));
    }
    bench_check(tn_pipeline_create(self->runtime, &pipeline), "pipeline");
    bench_check(tn_pipeline_add_set(pipeline, passes), passes);
    bench_check(tn_pipeline_run(pipeline, self->graph, types, (uint32_t)count), "passes");
    tn_pipeline_destroy(pipeline);
    tn_session *session;
    bench_check(tn_session_create(self->graph, self->device, NULL, &session), "session");
    tn_session_destroy(self->session);
    self->session = session;
    tn_graph_destroy(self->graph);
    self->graph = NULL;
}

static double run_once(worker *self) {
    const double start = bench_seconds();
    bench_check(tn_session_run(self->session, self->inputs, self->outputs), "run");
    return bench_seconds() - start;
}

static void write_outputs(worker *self, const char *directory) {
    for (uint32_t i = 0; i < tn_session_output_count(self->session); i++) {
        char path[4096];
        tn_tensor_list *list;
        snprintf(path, sizeof path, "%s/%u.npy", directory, i);
        bench_check(tn_tensor_list_create(self->runtime, &list), "list");
        bench_check(tn_tensor_list_add(list, NULL, self->outputs[i]), "list");
        bench_check(tn_tensor_list_write(list, path, NULL), path);
        tn_tensor_list_destroy(list);
    }
}

static void run_for(worker *self, double seconds) {
    const double end = bench_seconds() + seconds;
    printf("{\"times\": [");
    for (int i = 0; i < MOST_RUNS && (i < 3 || bench_seconds() < end); i++) {
        printf("%s%.9f", i > 0 ? ", " : "", run_once(self));
    }
    printf("]}\n");
    fflush(stdout);
}

/* Of this program alone: what getrusage tells begins with its parent's. */
static long long peak_memory(void) {
    char line[256];
    long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "VmHWM: %lld", &kibibytes) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return kibibytes * 1024;
}

static void obey(worker *self) {
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "run ", 4) == 0) {
        run_for(self, atof(line + 4));
    }
    printf("{\"peak\": %lld}\n", peak_memory());
}

static void close_model(worker *self, int input_count) {
    for (uint32_t i = 0; i < tn_session_output_count(self->session); i++) {
        tn_tensor_release(self->outputs[i]);
    }
    for (int i = 0; i < input_count; i++) {
        tn_tensor_release(self->inputs[i]);
    }
    free(self->outputs);
    free(self->inputs);
    tn_session_destroy(self->session);
    tn_graph_destroy(self->graph);
    tn_device_close(self->device);
    tn_runtime_destroy(self->runtime);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr,
                "worker MODEL OUTPUT_DIRECTORY THREADS PASSES FORMAT_OPTION|- INPUT=FILE…\n");
        return 2;
    }
    worker self = {0};
    const int input_count = argc - 6;
    const double start = bench_seconds();
    open_model(&self, argv);
    read_inputs(&self, argv + 6, input_count);
    optimize(&self, argv[4], input_count);
    const double loaded = bench_seconds();
    self.outputs = calloc(tn_session_output_count(self.session) + 1, sizeof(tn_tensor *));
    run_once(&self);
    printf("{\"load\": %.6f, \"first\": %.6f}\n", loaded - start, bench_seconds() - loaded);
    fflush(stdout);
    write_outputs(&self, argv[2]);
    obey(&self);
    close_model(&self, input_count);
    return 0;
}
