/*
 * Runs cases of ONNX's conformance suites: folders with a model.onnx and test_data_set_N.
 *
 *     onnx-conformance [--device NAME] FOLDER…
 *
 * Each FOLDER is a case. For each it prints "folder, verdict, message", separated by tabs; the
 * verdict is passed, failed or unsupported, the message of one that passed names the operators that
 * ran on the CPU instead of the device. All cases run in one process, which is a child: when it
 * dies of a case, or takes too long, that case has failed and another child goes on with the next.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tenon/plugin/sequence.h>

#include "common/arrays.h"

enum { PATH_SIZE = 4096, MESSAGE_SIZE = 1024, MAX_TENSORS = 128, SECONDS_PER_CASE = 60 };

/* The suite's own. */
static const double RTOL = 1e-3, ATOL = 1e-7;

typedef enum verdict { PASSED, FAILED, UNSUPPORTED } verdict;
static const char *const verdict_names[] = {"passed", "failed", "unsupported"};

typedef struct test_case {
    tn_graph *graph;
    tn_session *session;
    tn_tensor *inputs[MAX_TENSORS], *outputs[MAX_TENSORS];
    const char *folder;
    char message[MESSAGE_SIZE];
} test_case;

/* What the library says of a failure. */
static verdict library_verdict(test_case *test, tn_status status, const char *what) {
    snprintf(test->message, sizeof test->message, "%s: %s", what, tn_error_message());
    return status == TN_UNSUPPORTED || status == TN_NOT_FOUND ? UNSUPPORTED : FAILED;
}

static tn_status read_tensor(tn_runtime *runtime, const char *path, tn_tensor **out_tensor) {
    tn_tensor_list *list;
    const tn_status status = tn_tensor_list_read(runtime, path, &list);
    if (status == TN_OK) {
        *out_tensor = tn_tensor_list_get(list, 0);
        tn_tensor_retain(*out_tensor);
        tn_tensor_list_destroy(list);
    }
    return status;
}

static int64_t input_index(const tn_session *session, const char *name) {
    for (uint32_t i = 0; i < tn_session_input_count(session); i++) {
        if (strcmp(tn_session_input_name(session, i), name) == 0) {
            return i;
        }
    }
    return -1; /* the outputs do not depend on it */
}

/* A tensor of the same elements under another type. */
static tn_status retype(tn_runtime *runtime, const tn_view *view, tn_dtype dtype,
                        tn_tensor **tensor) {
    tn_tensor *copy;
    const tn_status status = tn_tensor_create(runtime, dtype, view->rank, view->shape, &copy);
    if (status == TN_OK) {
        memcpy(tn_tensor_data(copy), tn_data(view), tn_byte_size(view));
        tn_tensor_release(*tensor);
        *tensor = copy;
    }
    return status;
}

/* A file cannot tell an optional value from a sequence of one, and some have bfloat16 as uint16:
 * `wanted` says which it is, 0 an optional value. */
static tn_status fit_to(tn_runtime *runtime, tn_dtype wanted, tn_tensor **tensor) {
    const tn_view *view = tn_tensor_view(*tensor);
    tn_view item = *view;
    if (wanted == TN_BF16 && view->dtype == TN_U16) {
        return retype(runtime, view, TN_BF16, tensor);
    }
    if (view->dtype != TN_SEQUENCE || wanted == TN_SEQUENCE) {
        return TN_OK;
    }
    const int64_t nothing = 0;
    if (tn_sequence_count(view) == 0) {
        item.shape = &nothing;
    } else if (!tn_sequence_item(view, 0, &item)) {
        return TN_CORRUPT;
    }
    return retype(runtime, &item, item.dtype, tensor);
}

static tn_status fit(tn_runtime *runtime, const tn_graph *graph, uint32_t variable,
                     tn_tensor **tensor) {
    tn_tensor_type type = {0};
    const tn_status status = tn_graph_type(graph, (tn_value){variable, 0}, &type);
    return status == TN_OK ? fit_to(runtime, type.dtype, tensor) : status;
}

/* File input_K belongs to the graph's K-th variable without elements. */
static verdict read_inputs(tn_runtime *runtime, test_case *test, const char *set) {
    const uint32_t count = tn_graph_node_count(test->graph);
    uint32_t file = 0;
    for (uint32_t i = 0; i < count; i++) {
        tn_node_info node = {.struct_size = TN_NODE_INFO_SIZE};
        char path[PATH_SIZE + 64];
        if (tn_graph_node(test->graph, i, &node) != TN_OK || node.op != NULL ||
            tn_graph_parameter(test->graph, i) != NULL) {
            continue;
        }
        snprintf(path, sizeof path, "%s/input_%u.pb", set, file++);
        const int64_t index = input_index(test->session, node.name);
        if (index < 0) {
            continue;
        }
        tn_status status = index >= MAX_TENSORS ? TN_UNSUPPORTED
                                                : read_tensor(runtime, path, &test->inputs[index]);
        if (status == TN_OK) {
            status = fit(runtime, test->graph, i, &test->inputs[index]);
        }
        if (status != TN_OK) {
            return library_verdict(test, status, "input");
        }
    }
    return PASSED;
}

static bool is_float(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F32 || dtype == TN_F64;
}

/* Whatever device it lies on, where it can be read. */
static tn_status bring_to_host(tn_runtime *runtime, tn_tensor **tensor) {
    const tn_view *view = tn_tensor_view(*tensor);
    tn_tensor *copy;
    if (tn_tensor_data(*tensor) != NULL || tn_tensor_byte_size(*tensor) == 0) {
        return TN_OK;
    }
    tn_status status = tn_tensor_create(runtime, view->dtype, view->rank, view->shape, &copy);
    if (status != TN_OK) {
        return status;
    }
    status = tn_tensor_copy(*tensor, copy);
    if (status != TN_OK) {
        tn_tensor_release(copy);
        return status;
    }
    tn_tensor_release(*tensor);
    *tensor = copy;
    return TN_OK;
}

static bool agree(const tn_view *got, const tn_view *wanted, char *message, size_t size);

/* Tensor by tensor. */
static bool sequences_agree(const tn_view *got, const tn_view *wanted, char *message, size_t size) {
    const int64_t count = tn_sequence_count(wanted);
    if (tn_sequence_count(got) != count) {
        snprintf(message, size, "has %lld tensors, expected %lld",
                 (long long)tn_sequence_count(got), (long long)count);
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        tn_view left, right;
        if (!tn_sequence_item(got, i, &left) || !tn_sequence_item(wanted, i, &right)) {
            snprintf(message, size, "has no tensor %lld", (long long)i);
            return false;
        }
        if (!agree(&left, &right, message, size)) {
            return false;
        }
    }
    return true;
}

static bool agree(const tn_view *got, const tn_view *wanted, char *message, size_t size) {
    if (got->dtype == TN_SEQUENCE && wanted->dtype == TN_SEQUENCE && tn_sequence_count(got) >= 0) {
        return sequences_agree(got, wanted, message, size);
    }
    const bool close = is_float(wanted->dtype);
    return test_tensors_agree(got, wanted, close ? RTOL : 0, close ? ATOL : 0, message, size);
}

/* Whether the file of an output holds an optional value: nothing, or a sequence around another that
 * the output is not. */
static bool is_optional(const tn_view *got, const tn_view *expected) {
    tn_view own, inner;
    if (tn_sequence_is_nothing(got)) {
        return true;
    }
    return tn_sequence_item(expected, 0, &inner) && inner.dtype == TN_SEQUENCE &&
           !(tn_sequence_item(got, 0, &own) && own.dtype == TN_SEQUENCE);
}

static verdict compare(tn_runtime *runtime, test_case *test, const char *set) {
    for (uint32_t i = 0; i < tn_session_output_count(test->session); i++) {
        char path[PATH_SIZE + 64], message[MESSAGE_SIZE - 64];
        tn_tensor *expected;
        snprintf(path, sizeof path, "%s/output_%u.pb", set, i);
        tn_status status = bring_to_host(runtime, &test->outputs[i]);
        const tn_view *got = tn_tensor_view(test->outputs[i]);
        if (status == TN_OK) {
            status = read_tensor(runtime, path, &expected);
        }
        if (status == TN_OK) {
            status = fit_to(runtime, is_optional(got, tn_tensor_view(expected)) ? 0 : got->dtype,
                            &expected);
        }
        if (status != TN_OK) {
            return library_verdict(test, status, "expected output");
        }
        const bool same = agree(got, tn_tensor_view(expected), message, sizeof message);
        tn_tensor_release(expected);
        if (!same) {
            snprintf(test->message, sizeof test->message, "output %u %s", i, message);
            return FAILED;
        }
    }
    return PASSED;
}

static verdict run_set(tn_runtime *runtime, test_case *test, const char *set) {
    verdict result = read_inputs(runtime, test, set);
    if (result == PASSED) {
        const tn_status status = tn_session_run(test->session, test->inputs, test->outputs);
        result =
            status == TN_OK ? compare(runtime, test, set) : library_verdict(test, status, "run");
    }
    for (uint32_t i = 0; i < MAX_TENSORS; i++) {
        tn_tensor_release(test->inputs[i]);
        tn_tensor_release(test->outputs[i]);
        test->inputs[i] = test->outputs[i] = NULL;
    }
    return result;
}

static verdict run_sets(tn_runtime *runtime, test_case *test) {
    verdict result = PASSED;
    for (uint32_t set = 0; result == PASSED; set++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/test_data_set_%u", test->folder, set);
        if (access(path, F_OK) != 0) {
            if (set == 0) {
                snprintf(test->message, sizeof test->message, "it has no test_data_set_0");
                return FAILED;
            }
            break;
        }
        result = run_set(runtime, test, path);
    }
    return result;
}

/* Names the operators of the last plan that did not run on the device. */
static void name_steps_elsewhere(test_case *test, const tn_device *device) {
    size_t length = 0;
    for (uint32_t i = 0; i < tn_session_step_count(test->session); i++) {
        tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
        if (tn_session_step(test->session, i, &step) == TN_OK && !step.elided &&
            strcmp(step.device, tn_device_name(device)) != 0 && length < MESSAGE_SIZE / 2) {
            const int written = snprintf(test->message + length, sizeof test->message - length,
                                         "%s%s", length > 0 ? " " : "", step.op);
            length += written > 0 ? (size_t)written : 0;
        }
    }
}

static verdict run_case(tn_runtime *runtime, tn_device *device, test_case *test) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/model.onnx", test->folder);
    tn_status status = tn_graph_read(runtime, path, "onnx", NULL, 0, &test->graph);
    if (status != TN_OK) {
        return library_verdict(test, status, "read");
    }
    verdict result;
    status = tn_graph_infer(test->graph, NULL, 0); /* the inputs' types are asked for */
    if (status != TN_OK) {
        return library_verdict(test, status, "infer");
    }
    status = tn_session_create(test->graph, device, NULL, &test->session);
    if (status != TN_OK) {
        result = library_verdict(test, status, "session");
    } else if (tn_session_output_count(test->session) > MAX_TENSORS) {
        snprintf(test->message, sizeof test->message, "more than %d outputs", MAX_TENSORS);
        result = FAILED;
    } else {
        result = run_sets(runtime, test);
    }
    if (result == PASSED) {
        name_steps_elsewhere(test, device);
    }
    tn_session_destroy(test->session);
    tn_graph_destroy(test->graph);
    return result;
}

static void print_result(const char *folder, verdict result, char *message) {
    for (char *c = message; *c != '\0'; c++) {
        if (*c == '\n' || *c == '\t') {
            *c = ' ';
        }
    }
    printf("%s\t%s\t%s\n", folder, verdict_names[result], message);
    fflush(stdout);
}

/* In the child: all cases from `*next` on, which counts the cases that are begun. */
static int run_cases(const char *device_name, char **folders, int count, volatile int *next) {
    tn_runtime *runtime = test_runtime();
    tn_device *device = NULL;
    if (runtime == NULL || tn_device_open(runtime, device_name, &device) != TN_OK) {
        fprintf(stderr, "onnx-conformance: %s\n", tn_error_message());
        return 2;
    }
    while (*next < count) {
        test_case test = {.folder = folders[*next]};
        ++*next;
        alarm(SECONDS_PER_CASE);
        const verdict result = run_case(runtime, device, &test);
        alarm(0);
        print_result(test.folder, result, test.message);
    }
    tn_device_close(device);
    tn_runtime_destroy(runtime);
    return 0;
}

int main(int argc, char **argv) {
    const char *device = "cpu";
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--device") == 0) {
        device = argv[2];
        first = 3;
    }
    volatile int *next =
        mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED) {
        perror("onnx-conformance");
        return 2;
    }
    *next = first;
    while (*next < argc) {
        const int begun = *next;
        const pid_t child = fork();
        if (child == 0) {
            _exit(run_cases(device, argv, argc, next));
        }
        int state = 0;
        while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) {
        }
        if (child < 0 || !WIFSIGNALED(state)) {
            return child < 0 ? 2 : WEXITSTATUS(state);
        }
        if (*next == begun) {
            fprintf(stderr, "onnx-conformance: the child died before its first case\n");
            return 2;
        }
        char message[64];
        snprintf(message, sizeof message, "died of signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
        print_result(argv[*next - 1], FAILED, message);
    }
    return 0;
}
