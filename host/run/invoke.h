/* The kept calls of tn_invoke. */
#ifndef TENON_RUN_INVOKE_H
#define TENON_RUN_INVOKE_H

#include <tenon/invoke.h>

void tni_invoke_floor_init(tn_runtime *runtime);

/* Ends the kept calls that no thread is using; they are made again when needed. */
void tni_invoke_drop_idle(tn_runtime *runtime);

/* Ends all of it; no call may be going on. */
void tni_invoke_floor_finish(tn_runtime *runtime);

#endif
