/* --explain: the plan of a session, and what each of its nodes took. */
#ifndef TENON_CLI_EXPLAIN_H
#define TENON_CLI_EXPLAIN_H

#include "command.h"

/* Prints, on standard error, the last plan with the times that profiling has noted last. */
void cli_explain(const tn_session *session);

#endif
