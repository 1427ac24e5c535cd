#include "plugin/cpu_variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_LEVELS
#endif
#endif

#ifdef HAS_LEVELS

static bool runs_v3(void) {
    return CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) &&
           CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(F16C) && CPU_FEATURE_ACTIVE(FMA) &&
           CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE);
}

/* The macro shifts the last of the bits into a sign, which sanitizers refuse. */
static bool runs_v4(void) {
    return runs_v3() && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) &&
           CPU_FEATURE_ACTIVE(AVX512CD) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
           __builtin_cpu_supports("avx512vl");
}

static const struct level {
    const char *directory;
    bool (*runs)(void);
} levels[] = {{"x86-64-v4", runs_v4}, {"x86-64-v3", runs_v3}};

/* "a/b.so" in "x86-64-v3" is "a/x86-64-v3/b.so". */
static tn_status find_in(const char *path, const char *directory, char **out_path) {
    const char *slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    tni_text text = {0};
    tni_text_add(&text, "%.*s%s/%s", (int)size, path, directory, path + size);
    tn_status status = tni_text_status(&text);
    if (status == TN_OK && access(tni_text_get(&text), R_OK) == 0) {
        *out_path = tni_copy_text(tni_text_get(&text));
        status = *out_path == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    }
    tni_text_finish(&text);
    return status;
}

tn_status tni_cpu_variant(const char *path, char **out_path) {
    *out_path = NULL;
    for (size_t i = 0; *out_path == NULL && i < sizeof levels / sizeof levels[0]; i++) {
        if (levels[i].runs()) {
            TNI_TRY(find_in(path, levels[i].directory, out_path));
        }
    }
    return TN_OK;
}

#else

tn_status tni_cpu_variant(const char *path, char **out_path) {
    (void)path;
    *out_path = NULL;
    return TN_OK;
}

#endif
