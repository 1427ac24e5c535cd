#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

int cli_profile_begin(tn_session *session, const char *path) {
    if (!ends_in(path, ".json") && !ends_in(path, ".html")) {
        return cli_bad_usage(
            "--profile %s: expected FILE.json, a Chrome trace, or FILE.html, a page", path);
    }
    return tn_session_set_profiling(session, 1) == TN_OK ? CLI_OK : cli_fail();
}

/* The format of chrome://tracing and of Perfetto: complete events ("X"), in microseconds. A process
 * is a device, a thread is one of the host's, or 0 for the device's own queue. */
static void write_trace(FILE *file, const tn_step_time *times, uint32_t count) {
    const uint64_t origin = count > 0 ? times[0].begin_ns : 0;
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", file);
    for (uint32_t i = 0; i < count; i++) {
        const tn_step_time *time = &times[i];
        fputs(i > 0 ? ",\n" : "\n", file);
        fputs("{\"ph\": \"X\", \"name\": ", file);
        cli_print_json_string(file, time->node);
        fputs(", \"cat\": ", file);
        cli_print_json_string(file, time->op);
        fprintf(file, ", \"ts\": %.3f, \"dur\": %.3f, \"pid\": ",
                (double)(int64_t)(time->begin_ns - origin) / 1e3,
                (double)(int64_t)(time->end_ns - time->begin_ns) / 1e3);
        cli_print_json_string(file, time->device);
        fprintf(file, ", \"tid\": %llu, \"args\": {\"run\": %u, \"kernel\": ",
                (unsigned long long)time->thread, time->run);
        cli_print_json_string(file, time->kernel);
        fputs("}}", file);
    }
    fputs("\n]}\n", file);
}

static tn_step_time *read_times(const tn_session *session, uint32_t count) {
    tn_step_time *times = calloc((size_t)count + 1, sizeof *times);
    for (uint32_t i = 0; times != NULL && i < count; i++) {
        times[i].struct_size = TN_STEP_TIME_SIZE;
        tn_session_step_time(session, i, &times[i]); /* cannot fail: the index is there */
    }
    return times;
}

int cli_profile_write(const tn_session *session, const char *path) {
    const uint32_t count = tn_session_step_time_count(session);
    tn_step_time *times = read_times(session, count);
    if (times == NULL) {
        return cli_fail_with("out of memory");
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        free(times);
        return cli_fail_with("%s cannot be written: %s", path, strerror(errno));
    }
    bool is_written = true;
    if (ends_in(path, ".html")) {
        is_written = cli_profile_write_page(file, times, count);
    } else {
        write_trace(file, times, count);
    }
    const bool has_failed = ferror(file) != 0;
    const bool is_closed = fclose(file) == 0;
    free(times);
    if (!is_written) {
        return cli_fail_with("out of memory");
    }
    return has_failed || !is_closed
               ? cli_fail_with("%s cannot be written: %s", path, strerror(errno))
               : CLI_OK;
}
