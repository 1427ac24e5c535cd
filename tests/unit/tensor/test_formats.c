#include "tensor/formats.h"
#include "toy_format.h"

static int32_t score_two(const tn_host *host, const tn_source *source) {
    (void)host;
    (void)source;
    return 2;
}

static tn_status fail_to_read(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    (void)host;
    (void)source;
    (void)sink;
    return TN_IO;
}

static tn_status write_graph(const tn_host *host, const tn_graph *graph, const void *options,
                             const char *path) {
    (void)host;
    (void)graph;
    (void)options;
    (void)path;
    return TN_OK;
}

/* Reads everything, not very sure. */
static const tn_format any_format = {
    .struct_size = TN_FORMAT_SIZE,
    .extensions = ".bin",
    .recognise = score_two,
    .read_tensors = fail_to_read,
};
static const tn_format graph_format = {
    .struct_size = TN_FORMAT_SIZE,
    .extensions = ".toy.bin.graph",
    .recognise = score_two,
    .write_graph = write_graph,
};
static const tn_entry entries[] = {
    TN_ENTRY_FORMAT("any", &any_format),
    TN_ENTRY_FORMAT("graphs", &graph_format),
    TN_ENTRY_FORMAT("toy", &toy_format),
};

static tn_runtime *runtime;
static tni_plugin *plugin;

static void set_up(void) {
    runtime = new_runtime();
    plugin = ADD_PLUGIN(runtime, "formats", entries);
}

static void tear_down(void) {
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_CALL]), 0);
    tn_runtime_destroy(runtime);
}

TestSuite(formats, .init = set_up, .fini = tear_down);

static tn_source bytes(const char *text) {
    return (tn_source){
        .struct_size = sizeof(tn_source), .data = text, .size = strlen(text), .path = NULL};
}

static void expect(tn_status status, const tni_entry *const *found, const char *name) {
    cr_assert_eq(status, TN_OK, "%s", tn_error_message());
    const tni_entry *entry = *found;
    cr_assert_str_eq(entry->entry->name, name);
    cr_assert_eq(atomic_load(&plugin->leases[TNI_HOLDER_CALL]), 1);
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
}

Test(formats, the_surest_wins) {
    const tni_entry *entry;
    const tn_source toy = bytes("TOY0");
    const tn_source other = bytes("1234");
    expect(tni_format_recognise(runtime, TNI_READ_TENSORS, &toy, NULL, &entry), &entry, "toy");
    expect(tni_format_recognise(runtime, TNI_READ_TENSORS, &other, "a.toy", &entry), &entry, "any");
}

Test(formats, a_format_that_cannot_is_named) {
    const tni_entry *entry;
    const tn_source toy = bytes("TOY0");
    cr_assert_eq(tni_format_recognise(runtime, TNI_READ_GRAPH, &toy, NULL, &entry), TN_UNSUPPORTED);
    ASSERT_MESSAGE("format 'toy', which cannot read graphs");
    ASSERT_MESSAGE("loaded formats that read graphs: none");
}

Test(formats, by_name) {
    const tni_entry *entry;
    expect(tni_format_named(runtime, TNI_WRITE_TENSORS, "toy", &entry), &entry, "toy");
    cr_assert_eq(tni_format_named(runtime, TNI_WRITE_TENSORS, "any", &entry), TN_UNSUPPORTED);
    ASSERT_MESSAGE("'toy'");
    cr_assert_eq(tni_format_named(runtime, TNI_WRITE_TENSORS, "what", &entry), TN_NOT_FOUND);
}

Test(formats, by_ending_the_longest) {
    const tni_entry *entry;
    expect(tni_format_by_ending(runtime, TNI_WRITE_TENSORS, "a/b.toy", &entry), &entry, "toy");
    expect(tni_format_by_ending(runtime, TNI_READ_TENSORS, "b.toy.bin", &entry), &entry, "toy");
    expect(tni_format_by_ending(runtime, TNI_READ_TENSORS, "b.bin", &entry), &entry, "any");
    expect(tni_format_by_ending(runtime, TNI_WRITE_GRAPH, "b.toy.bin.graph", &entry), &entry,
           "graphs");
    cr_assert_eq(tni_format_by_ending(runtime, TNI_WRITE_TENSORS, "toy", &entry), TN_UNSUPPORTED);
    cr_assert_eq(tni_format_by_ending(runtime, TNI_WRITE_TENSORS, "", &entry), TN_UNSUPPORTED);
}

Test(formats, a_plugin_that_leaves_is_not_asked) {
    const tni_entry *entry;
    const tn_source toy = bytes("TOY0");
    atomic_store(&plugin->leaving, true);
    cr_assert_eq(tni_format_recognise(runtime, TNI_READ_TENSORS, &toy, NULL, &entry),
                 TN_UNSUPPORTED);
    atomic_store(&plugin->leaving, false);
}
