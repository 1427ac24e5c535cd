/* What an MXNet extension library is, by its symbols alone. */
#ifndef LOADER_MXNET_RECOGNISE_H
#define LOADER_MXNET_RECOGNISE_H

#include <tenon/plugin.h>

int32_t recognise_extension(const tn_host *host, const tn_foreign_file *file,
                            tn_foreign_identity *out_identity);

#endif
