/*
 * What the tests of the contract share: a runtime whose log is kept, a private directory into which
 * plugins of the zoo are copied, and the check that a refusal says what it should.
 */
#ifndef ZOO_H
#define ZOO_H

#include <tenon/function.h>
#include <tenon/plugins.h>
#include <tenon/runtime.h>

#include "plugin/registry.h"

enum { ZOO_PATH = 512, ZOO_LOG = 65536 };

extern tn_runtime *zoo_runtime;
extern char zoo_directory[ZOO_PATH]; /* absolute, without symbolic links; only the user's */
extern char zoo_log[ZOO_LOG];        /* "level source: message\n" for each line */

/* Before and after each test, which has a process of its own. */
void zoo_begin(void);
void zoo_end(void);

/* The path of `name` in the private directory. Lives to the end of the test, as all texts here. */
const char *zoo_path(const char *name);

/* "format", printed. */
__attribute__((format(printf, 1, 2))) const char *zoo_text(const char *format, ...);

/* Copies the plugin "name.so" of the zoo into the private directory. */
const char *zoo_copy(const char *name);
const char *zoo_copy_as(const char *name, const char *as);

/* Bytes of a file, and a file of bytes. */
char *zoo_read(const char *path, size_t *out_size);
void zoo_write(const char *path, const void *bytes, size_t size);

/* Loads a copy of a plugin of the zoo, which must succeed. */
tni_plugin *zoo_load(const char *name);

/* Loading the file must be refused with exactly that status and reason; the remedy must begin as
 * given. Message and ledger must say so, and nothing may be registered. */
void zoo_expect_refused(const char *path, uint32_t flags, tn_status status, const char *reason,
                        const char *remedy);

/* The same for a fresh copy of a plugin of the zoo, with no flags. */
void zoo_expect_bad(const char *name, tn_status status, const char *reason, const char *remedy);

tn_ledger_record zoo_last_record(void);

/* "active", "skipped: …" of an entry of a loaded plugin; NULL when it has no such entry. */
const char *zoo_state(const char *plugin, const char *kind, const char *name, uint32_t version);

#endif
