/* --profile: what each node of each run took, as a Chrome trace or as a page. */
#ifndef TENON_CLI_PROFILE_H
#define TENON_CLI_PROFILE_H

#include "command.h"

/* Turns the session's profiling on, once the file's name says how it is to be written. */
int cli_profile_begin(tn_session *session, const char *path);
int cli_profile_write(const tn_session *session, const char *path);

/* The page; the caller opens and closes the file. False when out of memory. */
bool cli_profile_write_page(FILE *file, const tn_step_time *times, uint32_t count);

#endif
