/* What a name and a text of a plugin may look like. */
#ifndef TENON_PLUGIN_NAMES_H
#define TENON_PLUGIN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { TNI_MAX_NAME = 255 };

/* 1 to `limit` letters, digits, '-', '_' and '.', and a NUL. False for NULL. */
bool tni_name_is_valid(const char *name, size_t limit);

/* At most `limit` printable ASCII characters and a NUL. False for NULL. */
bool tni_text_is_printable(const char *text, size_t limit);

/* The next "name/version" of a list separated by ','. Moves *cursor behind it. Returns 1 for an
 * item, 0 at the end of the list, -1 when the list is malformed there. */
int tni_service_list_next(const char **cursor, char name[64], unsigned *out_version);

#endif
