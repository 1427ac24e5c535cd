/*
 * The embedding API, all of it. A program that runs a model opens a runtime, loads plugins, reads a
 * graph, opens a device, creates a session and runs it; docs/examples/ has the whole of it.
 */
#ifndef TENON_H
#define TENON_H

#include <tenon/api.h>
#include <tenon/dataset.h>
#include <tenon/device.h>
#include <tenon/function.h>
#include <tenon/graph.h>
#include <tenon/invoke.h>
#include <tenon/partition.h>
#include <tenon/pass.h>
#include <tenon/plugins.h>
#include <tenon/runtime.h>
#include <tenon/scheduler.h>
#include <tenon/session.h>
#include <tenon/sparse.h>
#include <tenon/tensor.h>
#include <tenon/tuning.h>

#endif
