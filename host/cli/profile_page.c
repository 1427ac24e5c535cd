/* The page of --profile: the last run as a timeline, and tables of what took longest in all runs.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

enum { PAGE_WIDTH = 1200, LABEL_WIDTH = 150, LANE_HEIGHT = 26, MOST_ROWS = 40 };

static void print_text(FILE *file, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        case '"': fputs("&quot;", file); break;
        default: fputc(*text, file);
        }
    }
}

/* The same operator has the same colour on every page. */
static unsigned hue_of(const char *text) {
    unsigned hash = 5381;
    for (; *text != '\0'; text++) {
        hash = hash * 33 + (unsigned char)*text;
    }
    return hash % 360;
}

static uint64_t duration(const tn_step_time *time) {
    return time->end_ns > time->begin_ns ? time->end_ns - time->begin_ns : 0;
}

static bool same_lane(const tn_step_time *left, const tn_step_time *right) {
    return left->thread == right->thread && strcmp(left->device, right->device) == 0;
}

/* The first of the records in the lane of record `index`. */
static uint32_t lane_of(const tn_step_time *times, uint32_t index) {
    uint32_t first = 0;
    while (!same_lane(&times[first], &times[index])) {
        first++;
    }
    return first;
}

typedef struct timeline {
    const tn_step_time *times;
    uint32_t count;
    uint64_t begin, end;
    uint32_t *lanes; /* by record: which lane */
    uint32_t lane_count;
} timeline;

static bool timeline_init(timeline *line, const tn_step_time *times, uint32_t count) {
    *line = (timeline){times, count, UINT64_MAX, 0, calloc((size_t)count + 1, sizeof(uint32_t)), 0};
    for (uint32_t i = 0; line->lanes != NULL && i < count; i++) {
        const uint32_t first = lane_of(times, i);
        line->lanes[i] = first == i ? line->lane_count++ : line->lanes[first];
        line->begin = times[i].begin_ns < line->begin ? times[i].begin_ns : line->begin;
        line->end = times[i].end_ns > line->end ? times[i].end_ns : line->end;
    }
    return line->lanes != NULL;
}

static void draw_step(FILE *file, const timeline *line, uint32_t index) {
    const tn_step_time *time = &line->times[index];
    const double scale = (PAGE_WIDTH - LABEL_WIDTH) / (double)(line->end - line->begin + 1);
    const double width = (double)duration(time) * scale;
    fprintf(file, "<rect x='%.2f' y='%u' width='%.2f' height='%d' fill='hsl(%u 55%% 62%%)'><title>",
            LABEL_WIDTH + (double)(time->begin_ns - line->begin) * scale,
            line->lanes[index] * LANE_HEIGHT + 2, width < 0.5 ? 0.5 : width, LANE_HEIGHT - 4,
            hue_of(time->op));
    print_text(file, time->node);
    fputs(" (", file);
    print_text(file, time->op);
    fputs("), kernel ", file);
    print_text(file, time->kernel);
    fprintf(file, ": %.1f µs</title></rect>\n", (double)duration(time) / 1e3);
}

static void draw_label(FILE *file, const timeline *line, uint32_t index) {
    const tn_step_time *time = &line->times[index];
    fprintf(file, "<text x='4' y='%u'>", line->lanes[index] * LANE_HEIGHT + LANE_HEIGHT / 2 + 5);
    print_text(file, time->device);
    if (time->thread != 0) {
        fprintf(file, ", thread %llu", (unsigned long long)time->thread);
    }
    fputs("</text>\n", file);
}

static void draw(FILE *file, const timeline *line) {
    fprintf(file, "<h2>The last run: %.3f ms</h2>\n<svg viewBox='0 0 %d %u' width='100%%'>\n",
            (double)(line->end - line->begin) / 1e6, PAGE_WIDTH, line->lane_count * LANE_HEIGHT);
    for (uint32_t i = 0; i < line->count; i++) {
        if (lane_of(line->times, i) == i) {
            draw_label(file, line, i);
        }
        draw_step(file, line, i);
    }
    fputs("</svg>\n<p>Point at a step for its name, kernel and time.</p>\n", file);
}

/* What one operator or one node took in all runs. */
typedef struct total {
    const tn_step_time *sample;
    uint64_t ns;
    uint32_t count;
} total;

static const char *key_of(const tn_step_time *time, bool by_node) {
    return by_node ? time->node : time->op;
}

static bool by_node_order;

static int compare_keys(const void *left, const void *right) {
    const total *a = left, *b = right;
    return strcmp(key_of(a->sample, by_node_order), key_of(b->sample, by_node_order));
}

static int compare_totals(const void *left, const void *right) {
    const total *a = left, *b = right;
    return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : 0;
}

/* Sorted by name, those of one name added up, then sorted by time. */
static uint32_t add_up(total *totals, const tn_step_time *times, uint32_t count, bool by_node) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        totals[i] = (total){&times[i], duration(&times[i]), 1};
    }
    by_node_order = by_node;
    qsort(totals, count, sizeof *totals, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && strcmp(key_of(totals[kept - 1].sample, by_node),
                               key_of(totals[i].sample, by_node)) == 0) {
            totals[kept - 1].ns += totals[i].ns;
            totals[kept - 1].count++;
        } else {
            totals[kept++] = totals[i];
        }
    }
    qsort(totals, kept, sizeof *totals, compare_totals);
    return kept;
}

static void print_row(FILE *file, const total *row, bool by_node, uint32_t runs, uint64_t whole) {
    fputs("<tr><td>", file);
    print_text(file, key_of(row->sample, by_node));
    if (by_node) {
        fputs("<td>", file);
        print_text(file, row->sample->op);
        fputs("<td>", file);
        print_text(file, row->sample->kernel);
        fputs("<td>", file);
        print_text(file, row->sample->device);
    } else {
        fprintf(file, "<td class='n'>%u", row->count / runs);
    }
    fprintf(file, "<td class='n'>%.1f<td class='n'>%.1f %%\n", (double)row->ns / runs / 1e3,
            whole == 0 ? 0 : 100 * (double)row->ns / (double)whole);
}

static bool print_table(FILE *file, const tn_step_time *times, uint32_t count, bool by_node) {
    total *totals = calloc((size_t)count + 1, sizeof *totals);
    if (totals == NULL) {
        return false;
    }
    const uint32_t kept = add_up(totals, times, count, by_node);
    uint64_t whole = 0;
    for (uint32_t i = 0; i < kept; i++) {
        whole += totals[i].ns;
    }
    fprintf(file, "<h2>%s</h2>\n<table><tr><th>%s<th>µs a run<th>share\n",
            by_node ? "The slowest nodes" : "By operator",
            by_node ? "node<th>operator<th>kernel<th>device" : "operator<th>nodes");
    const uint32_t runs = times[count - 1].run + 1;
    for (uint32_t i = 0; i < kept && i < MOST_ROWS; i++) {
        print_row(file, &totals[i], by_node, runs, whole);
    }
    fputs("</table>\n", file);
    free(totals);
    return true;
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang='en'><meta charset='utf-8'><title>Profile</title>\n"
    "<style>\n"
    "body { font: 15px sans-serif; margin: 2em auto; max-width: 1240px; color: #222; }\n"
    "svg { background: #f4f4f2; } text { font: 12px sans-serif; }\n"
    "table { border-collapse: collapse; } td, th { padding: 2px 12px 2px 0; text-align: left; }\n"
    "td.n { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "</style>\n";

bool cli_profile_write_page(FILE *file, const tn_step_time *times, uint32_t count) {
    uint32_t last = count;
    timeline line;
    fputs(head, file);
    if (count == 0) {
        fputs("<p>Nothing was run.</p></html>\n", file);
        return true;
    }
    while (last > 0 && times[last - 1].run == times[count - 1].run) {
        last--;
    }
    if (!timeline_init(&line, times + last, count - last)) {
        return false;
    }
    fprintf(file, "<h1>%u runs of %u steps</h1>\n", times[count - 1].run + 1, count - last);
    draw(file, &line);
    free(line.lanes);
    if (!print_table(file, times, count, false) || !print_table(file, times, count, true)) {
        return false;
    }
    fputs("</html>\n", file);
    return true;
}
