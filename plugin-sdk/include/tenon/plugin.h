/*
 * The plugin contract, all of it. One include for a plugin's source file; nothing to link.
 *
 *   status.h    results            types.h     dtypes, shapes, views
 *   identity.h  note and table     attribute.h attribute tables
 *   host.h      services           helpers.h   inline conveniences
 *   half.h      16-bit floats      sparse.h    sparse tensors
 *   operator.h, kernel.h, device.h, format.h, dataset.h, function.h, pass.h, partitioner.h,
 *   loader.h: a header a kind
 *   Not taken here: elementwise.h (programs of element functions), exponential.h (exp and its kin
 *   as vector code)
 *
 * Thread labels, on every function that crosses the line:
 *   [load]     one call at a time in the whole runtime
 *   [any]      any thread, several at once
 *   [serial]   one caller at a time for each object
 *   [worker]   a thread that runs a graph; one caller at a time for each state
 *   [callback] called back from inside another call, on the same thread
 * No function of a plugin is called while the host holds a lock [TN-REQ-003].
 *
 * Ownership: what a side made, that side destroys, through its own function [TN-REQ-004]. Texts
 * and arrays passed in are borrowed for the call; a struct that a side returns lives as its comment
 * says. On failure outputs are untouched [TN-REQ-005].
 */
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/dataset.h>
#include <tenon/plugin/device.h>
#include <tenon/plugin/format.h>
#include <tenon/plugin/function.h>
#include <tenon/plugin/half.h>
#include <tenon/plugin/helpers.h>
#include <tenon/plugin/host.h>
#include <tenon/plugin/identity.h>
#include <tenon/plugin/kernel.h>
#include <tenon/plugin/loader.h>
#include <tenon/plugin/operator.h>
#include <tenon/plugin/partitioner.h>
#include <tenon/plugin/pass.h>
#include <tenon/plugin/sequence.h>
#include <tenon/plugin/sparse.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

#endif
