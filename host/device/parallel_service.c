/* The "parallel" service: loops on the CPU device's threads, or in the calling thread. */
#include "device/device.h"

static void service_run(const tn_host *host, int64_t count, int64_t grain,
                        void (*body)(void *context, int64_t begin, int64_t end), void *context) {
    if (count <= 0) {
        return;
    }
    tn_device *cpu = count > grain ? tni_device_cpu_acquire(tni_plugin_of(host)->runtime) : NULL;
    if (cpu == NULL) {
        body(context, 0, count);
        return;
    }
    cpu->backend->parallel_for(cpu->device, count, grain, body, context);
    tni_device_release(cpu);
}

static uint32_t service_thread_count(const tn_host *host) {
    tn_device *cpu = tni_device_cpu_acquire(tni_plugin_of(host)->runtime);
    if (cpu == NULL) {
        return 1;
    }
    const uint32_t count = cpu->backend->thread_count(cpu->device);
    tni_device_release(cpu);
    return count > 0 ? count : 1;
}

const tn_parallel_service tni_parallel_service = {
    .struct_size = TN_STRUCT_END(tn_parallel_service, thread_count),
    .run = service_run,
    .thread_count = service_thread_count,
};
