/* The dynamic linker's side of a plugin: opening, finding the table, closing. */
#ifndef TENON_PLUGIN_LIBRARY_H
#define TENON_PLUGIN_LIBRARY_H

#include <stdbool.h>

#include <tenon/plugin/identity.h>

#include "plugin/plugin_file.h"

/* Opens the library and makes sure that what was opened is the file that was examined. Runs the
 * plugin's constructors. */
tn_status tni_library_open(const tni_plugin_file *file, void **out_library, char *remedy,
                           size_t remedy_size);

/* The exported table, when it is one and says the same as the note. `identity` is the note's. */
tn_status tni_library_table(void *library, const tn_identity *identity,
                            const tn_plugin **out_table);

/* Runs the plugin's destructors. Does nothing under AddressSanitizer, which could not name the
 * places of leaks in code that is gone. */
void tni_library_close(void *library);

/* Whether the code of that file is still in memory: the dynamic linker keeps a library that has
 * thread-local destructors or unique symbols, or that somebody else has open. */
bool tni_library_is_mapped(const char *real_path);

#endif
