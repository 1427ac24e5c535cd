/*
 * What MXNet does with symbol files of its earlier versions, and with attributes that are not the
 * operator's: they become annotations, under the names that today's MXNet gives them.
 */
#ifndef FORMAT_MXNET_UPGRADE_H
#define FORMAT_MXNET_UPGRADE_H

#include <tenon/plugin.h>

struct upgrade {
    const tn_host *host;
    tn_graph *graph;
    int64_t version; /* of the file */
};

/* Whether no operator reads an attribute of this name: a hidden key of the user's ("ctx_group",
 * "weight_lr_mult") or a name that begins with "__". */
int upgrade_is_annotation(const char *name);

/* Whether files of this version say something here that must not reach the operator. */
int upgrade_drops(int64_t version, const char *op, const char *name, const char *value);

tn_status upgrade_annotate_variable(const struct upgrade *upgrade, uint32_t node, const char *name,
                                    const char *value);
/* An annotation meant for one of the node's inputs ("weight_lr_mult") goes to that variable. */
tn_status upgrade_annotate_operator(const struct upgrade *upgrade, uint32_t node, const char *name,
                                    const char *value);

/* The rest, once the node has its annotations: files before 0.9 list no auxiliary variables, files
 * before 0.9.4 do not say how they begin. */
tn_status upgrade_inputs(const struct upgrade *upgrade, uint32_t node);

#endif
