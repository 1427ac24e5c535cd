/*
 * Builds of one plugin for processors that can more. Beside DIRECTORY/NAME.so there may be
 *   DIRECTORY/x86-64-v3/NAME.so   for AVX2 and what came with it
 *   DIRECTORY/x86-64-v4/NAME.so   for AVX-512
 * which are loaded in its place where the processor has all of that level. The levels are those of
 * the x86-64 psABI; compilers take them as -march.
 */
#ifndef TENON_PLUGIN_CPU_VARIANT_H
#define TENON_PLUGIN_CPU_VARIANT_H

#include <tenon/api.h>

/* The path of the best build that is there and that this processor runs, to be freed with tni_free;
 * NULL when that is the file itself. OUT_OF_MEMORY is the only failure. */
tn_status tni_cpu_variant(const char *path, char **out_path);

#endif
