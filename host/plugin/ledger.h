/*
 * What became of every candidate, and why. Records are only added; their texts live as long as the
 * runtime.
 */
#ifndef TENON_PLUGIN_LEDGER_H
#define TENON_PLUGIN_LEDGER_H

#include <tenon/plugins.h>

typedef struct tni_ledger tni_ledger;

tn_status tni_ledger_create(tni_ledger **out_ledger);
void tni_ledger_destroy(tni_ledger *ledger);

/* Copies the record. Without memory for it the record is lost, and the load goes on. */
void tni_ledger_add(tni_ledger *ledger, const tn_ledger_record *record);

#endif
