#include "idx.h"
#include "mapped_file.h"

tn_status idx_read_file(const tn_host *host, const char *path, tn_tensor **out_tensor) {
    struct mapped_file file;
    char where[400];
    snprintf(where, sizeof where, "'%.380s': ", path);
    TN_TRY(mapped_file_open(host, path, &file));
    const tn_status status = idx_read(host, where, file.data, file.size, out_tensor);
    mapped_file_close(&file);
    return status;
}
