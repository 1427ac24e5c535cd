#include <string.h>

#include "fake_plugin.h"
#include "tensor/dataset_options.h"

static tni_arena arena;

static void tear_down(void) {
    tni_arena_finish(&arena);
}

TestSuite(dataset_options, .fini = tear_down);

static tni_description parse(const char *text) {
    tni_description out;
    cr_assert_eq(tni_description_parse(text, &arena, &out), TN_OK, "%s", tn_error_message());
    return out;
}

static void expect(const tni_description *d, uint32_t index, const char *name, const char *value) {
    cr_assert_str_eq(d->options[index].name, name);
    cr_assert_str_eq(d->options[index].value, value);
}

Test(dataset_options, plain) {
    const tni_description d = parse("idx:images=a.gz,labels=b.gz");
    cr_assert_str_eq(d.kind, "idx");
    cr_assert_eq(d.option_count, 2);
    expect(&d, 0, "images", "a.gz");
    expect(&d, 1, "labels", "b.gz");
}

Test(dataset_options, none) {
    cr_assert_eq(parse("idx").option_count, 0);
    cr_assert_eq(parse("idx:").option_count, 0);
}

Test(dataset_options, values_with_marks_in_them) {
    const tni_description d = parse("k:a=x=y:z,b=1\\,2,c=\\\\n\\t,d=");
    cr_assert_eq(d.option_count, 4);
    expect(&d, 0, "a", "x=y:z");
    expect(&d, 1, "b", "1,2");
    expect(&d, 2, "c", "\\n\\t");
    expect(&d, 3, "d", "");
}

Test(dataset_options, malformed) {
    const char *const texts[] = {"", ":a=1", "k:a", "k:=1", "k:a=1,", "k:,a=1", "k:a=1,,b=2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tni_description out;
        cr_assert_eq(tni_description_parse(texts[i], &arena, &out), TN_INVALID_ARGUMENT, "%s",
                     texts[i]);
    }
}
