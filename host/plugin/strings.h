/* The texts that tensors have as elements: one copy of each, until the runtime ends. */
#ifndef TENON_PLUGIN_STRINGS_H
#define TENON_PLUGIN_STRINGS_H

#include <tenon/runtime.h>

typedef struct tni_strings tni_strings;

tn_status tni_strings_create(tni_strings **out_strings);
/* NULL is allowed. */
void tni_strings_destroy(tni_strings *strings);

/* The element for `size` bytes; NULL for none. A byte 0 among them is INVALID_ARGUMENT. */
tn_status tni_strings_intern(tni_strings *strings, const void *bytes, uint64_t size,
                             const char **out_string);

#endif
