/*
 * A complete host program: classifies one picture.
 *
 *   cc embed.c -o embed $(pkg-config --cflags --libs tenon)
 *   ./embed fashion-mnist/fashion-mnist-symbol.json boot.png [DEVICE]
 *
 * The picture is grey, 28 by 28, light on a dark ground, as in Fashion-MNIST. docs/embedding.md
 * goes through this file.
 */
#include <stdio.h>

#include <tenon/tenon.h>

/* All that the program holds. What is not made yet is NULL, and every ending function takes NULL.
 */
typedef struct program {
    tn_runtime *runtime;
    tn_graph *graph;
    tn_device *device;
    tn_session *session;
    tn_tensor_list *file;
    tn_tensor *picture; /* as the network wants it */
    tn_tensor *scores;
} program;

#define TRY(expression)                                                                            \
    do {                                                                                           \
        const tn_status try_status = (expression);                                                 \
        if (try_status != TN_OK) {                                                                 \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

static void print_log(void *context, uint32_t level, const char *source, const char *message) {
    (void)context;
    if (level >= TN_LOG_WARNING) {
        fprintf(stderr, "%s: %s\n", source, message);
    }
}

/* A runtime with the plugins of TENON_PLUGIN_PATH and of the installed directory. */
static tn_status open_runtime(program *self) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .log = print_log};
    TRY(tn_runtime_create(&options, &self->runtime));
    return tn_plugin_load_all(self->runtime, NULL, 0, 0);
}

/* The model on a device, ready to run. */
static tn_status open_model(program *self, const char *path, const char *device) {
    TRY(tn_graph_read(self->runtime, path, NULL, NULL, 0, &self->graph));
    TRY(tn_device_open(self->runtime, device, &self->device));
    return tn_session_create(self->graph, self->device, NULL, &self->session);
}

/* The file's bytes, (28,28,1), as floats of shape (1,1,28,28). */
static tn_status read_picture(program *self, const char *path) {
    const int64_t shape[] = {1, 1, 28, 28};
    const tn_option attribute = {"dtype", "float32"};
    tn_tensor *bytes;
    TRY(tn_tensor_list_read(self->runtime, path, &self->file));
    TRY(tn_tensor_reshape(tn_tensor_list_get(self->file, 0), 4, shape, 0, &bytes));
    const tn_status status =
        tn_invoke(self->runtime, "Cast", &attribute, 1, &bytes, 1, &self->picture, 1);
    tn_tensor_release(bytes);
    return status;
}

/* Runs the network, and brings its scores to host memory. */
static tn_status classify(program *self, float scores[10]) {
    TRY(tn_session_run(self->session, &self->picture, &self->scores));
    return tn_tensor_read(self->scores, scores, 10 * sizeof scores[0]);
}

static void print_class(const float scores[10]) {
    static const char *const names[] = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                                        "Coat",        "Sandal",    "Shirt",    "Sneaker",
                                        "Bag",         "Ankle boot"};
    int best = 0;
    for (int i = 1; i < 10; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    printf("%s (%.1f %%)\n", names[best], 100 * (double)scores[best]);
}

/* In the reverse order of making. */
static void close_all(program *self) {
    tn_tensor_release(self->scores);
    tn_tensor_release(self->picture);
    tn_tensor_list_destroy(self->file);
    tn_session_destroy(self->session);
    tn_device_close(self->device);
    tn_graph_destroy(self->graph);
    tn_runtime_destroy(self->runtime);
}

static tn_status run(program *self, const char *model, const char *picture, const char *device) {
    float scores[10];
    TRY(open_runtime(self));
    TRY(open_model(self, model, device));
    TRY(read_picture(self, picture));
    TRY(classify(self, scores));
    print_class(scores);
    return TN_OK;
}

int main(int count, char **words) {
    if (count != 3 && count != 4) {
        printf("usage: embed MODEL PICTURE.png [DEVICE]\n");
        return count == 1 ? 0 : 2;
    }
    program self = {0};
    const tn_status status = run(&self, words[1], words[2], count == 4 ? words[3] : "cpu");
    if (status != TN_OK) {
        fprintf(stderr, "embed: %s: %s\n", tn_status_name(status), tn_error_message());
    }
    close_all(&self);
    return status == TN_OK ? 0 : 1;
}
