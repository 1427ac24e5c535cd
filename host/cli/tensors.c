#include "tensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/plugin/half.h>
#include <tenon/plugin/helpers.h>
#include <tenon/plugin/sequence.h>

static tn_tensor *choose(const tn_tensor_list *list, const char *path, const char *name) {
    const uint32_t count = tn_tensor_list_count(list);
    if (name == NULL && count == 1) {
        return tn_tensor_list_get(list, 0);
    }
    for (uint32_t i = 0; name != NULL && i < count; i++) {
        const char *entry = tn_tensor_list_name(list, i);
        if (entry != NULL && strcmp(entry, name) == 0) {
            return tn_tensor_list_get(list, i);
        }
    }
    if (name == NULL) {
        cli_fail_with("%s holds %u tensors: choose one with FILE#NAME", path, count);
    } else {
        cli_fail_with("%s holds no tensor named %s", path, name);
    }
    return NULL;
}

tn_tensor *cli_read_tensor(tn_runtime *runtime, const char *text) {
    const char *hash = access(text, F_OK) == 0 ? NULL : strrchr(text, '#');
    char *path = strndup(text, hash != NULL ? (size_t)(hash - text) : strlen(text));
    tn_tensor_list *list = NULL;
    tn_tensor *tensor = NULL;
    if (path == NULL) {
        cli_fail_with("out of memory");
    } else if (tn_tensor_list_read(runtime, path, &list) != TN_OK) {
        cli_fail();
    } else {
        tensor = choose(list, path, hash != NULL ? hash + 1 : NULL);
    }
    if (tensor != NULL) {
        tn_tensor_retain(tensor);
    }
    tn_tensor_list_destroy(list);
    free(path);
    return tensor;
}

int cli_write_tensor(tn_runtime *runtime, const char *path, const char *name, tn_tensor *tensor) {
    tn_tensor_list *list = NULL;
    tn_status status = tn_tensor_list_create(runtime, &list);
    if (status == TN_OK) {
        status = tn_tensor_list_add(list, name, tensor);
    }
    if (status == TN_OK) {
        status = tn_tensor_list_write(list, path, NULL);
    }
    tn_tensor_list_destroy(list);
    return status == TN_OK ? CLI_OK : cli_fail();
}

tn_tensor *cli_fetch(tn_runtime *runtime, tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    tn_tensor *copy = NULL;
    if (tn_tensor_data(tensor) != NULL) {
        tn_tensor_retain(tensor);
        return tensor;
    }
    if (tn_tensor_create(runtime, view->dtype, view->rank, view->shape, &copy) == TN_OK &&
        tn_tensor_copy(tensor, copy) == TN_OK) {
        return copy;
    }
    cli_fail();
    tn_tensor_release(copy);
    return NULL;
}

tn_tensor *cli_cast_storage(tn_runtime *runtime, tn_tensor *tensor, uint32_t storage) {
    const tn_option attribute = {"stype", storage == TN_STORAGE_DENSE ? "default"
                                                                      : tn_storage_name(storage)};
    tn_tensor *result = NULL;
    if (tn_invoke(runtime, "cast_storage", &attribute, 1, &tensor, 1, &result, 1) != TN_OK) {
        cli_fail();
    }
    return result;
}

tn_tensor *cli_cast(tn_runtime *runtime, tn_tensor *tensor, tn_dtype dtype) {
    if (tn_tensor_view(tensor)->dtype == dtype) {
        tn_tensor_retain(tensor);
        return tensor;
    }
    const tn_option attribute = {"dtype", tn_dtype_text(dtype)};
    tn_tensor *result = NULL;
    if (tn_invoke(runtime, "Cast", &attribute, 1, &tensor, 1, &result, 1) != TN_OK) {
        cli_fail();
    }
    return result;
}

double cli_element(const tn_view *view, int64_t index) {
    const void *data = tn_data(view);
    switch (view->dtype) {
    case TN_F16: return (double)tn_float_from_f16(((const uint16_t *)data)[index]);
    case TN_BF16: return (double)tn_float_from_bf16(((const uint16_t *)data)[index]);
    case TN_F32: return (double)((const float *)data)[index];
    case TN_F64: return ((const double *)data)[index];
    case TN_I8: return ((const int8_t *)data)[index];
    case TN_I16: return ((const int16_t *)data)[index];
    case TN_I32: return ((const int32_t *)data)[index];
    case TN_I64: return (double)((const int64_t *)data)[index];
    case TN_U16: return ((const uint16_t *)data)[index];
    case TN_U32: return ((const uint32_t *)data)[index];
    case TN_U64: return (double)((const uint64_t *)data)[index];
    default: return ((const uint8_t *)data)[index];
    }
}

static void print_string(FILE *file, const tn_view *view, int64_t index) {
    const char *text = ((const char *const *)tn_data(view))[index];
    cli_print_json_string(file, text != NULL ? text : "");
}

/* What a double would not hold, or round: texts, and every digit of an integer. False for others.
 */
static bool print_exactly(FILE *file, const tn_view *view, int64_t index) {
    const void *data = tn_data(view);
    switch (view->dtype) {
    case TN_I32: fprintf(file, "%" PRId32, ((const int32_t *)data)[index]); return true;
    case TN_U32: fprintf(file, "%" PRIu32, ((const uint32_t *)data)[index]); return true;
    case TN_I64: fprintf(file, "%" PRId64, ((const int64_t *)data)[index]); return true;
    case TN_U64: fprintf(file, "%" PRIu64, ((const uint64_t *)data)[index]); return true;
    case TN_STRING: print_string(file, view, index); return true;
    default: return false;
    }
}

enum { SHOWN = 8 };

static void print_element(FILE *file, const tn_view *view, int64_t index) {
    if (!print_exactly(file, view, index)) {
        fprintf(file, "%.7g", cli_element(view, index));
    }
}

/* What a sparse tensor stores, one element after the other. */
static tn_view stored_values(const tn_tensor *tensor, int64_t *out_count) {
    tn_view view = *tn_tensor_view(tensor);
    const tn_sparse *sparse = tn_tensor_sparse(tensor);
    const int64_t length =
        sparse->storage == TN_STORAGE_CSR ? 1 : tn_extent_product(view.shape, 1, view.rank);
    *out_count = sparse->stored_count * length;
    view.data = sparse->values;
    return view;
}

/* "csr float32 (2,3) [(0,2) 5, (1,0) 7]" */
static void print_csr(FILE *file, const tn_view *values, const tn_sparse *sparse) {
    int64_t row = 0;
    for (int64_t i = 0; i < sparse->stored_count && i < SHOWN; i++) {
        while (sparse->row_starts[row + 1] <= i) {
            row++;
        }
        fprintf(file, "%s(%lld,%lld) ", i > 0 ? ", " : "", (long long)row,
                (long long)sparse->indices[i]);
        print_element(file, values, i);
    }
}

/* "row_sparse float32 (4,2) [1: 5, 6; 3: 7, 8]" */
static void print_rows(FILE *file, const tn_view *values, const tn_sparse *sparse, int64_t count) {
    const int64_t length = sparse->stored_count > 0 ? count / sparse->stored_count : 0;
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        if (i % length == 0) {
            fprintf(file, "%s%lld: ", i > 0 ? "; " : "", (long long)sparse->indices[i / length]);
        } else {
            fputs(", ", file);
        }
        print_element(file, values, i);
    }
}

static int64_t print_sparse(FILE *file, const tn_tensor *tensor) {
    int64_t count;
    const tn_view values = stored_values(tensor, &count);
    const tn_sparse *sparse = tn_tensor_sparse(tensor);
    if (sparse->storage == TN_STORAGE_CSR) {
        print_csr(file, &values, sparse);
    } else {
        print_rows(file, &values, sparse, count);
    }
    return count;
}

static void print_view(FILE *file, const tn_view *view);

/* The tensors of a sequence, one after the other. */
static int64_t print_sequence(FILE *file, const tn_view *view) {
    const int64_t count = tn_sequence_count(view);
    tn_view item;
    for (int64_t i = 0; i < SHOWN && tn_sequence_item(view, i, &item); i++) {
        fputs(i > 0 ? ", " : "", file);
        print_view(file, &item);
    }
    return count;
}

static int64_t print_dense(FILE *file, const tn_view *view) {
    if (view->dtype == TN_SEQUENCE) {
        return print_sequence(file, view);
    }
    const int64_t count = tn_element_count(view);
    for (int64_t i = 0; i < count && i < SHOWN; i++) {
        fputs(i > 0 ? ", " : "", file);
        print_element(file, view, i);
    }
    return count;
}

/* "float32 (2) [1, 2]" */
static void print_view(FILE *file, const tn_view *view) {
    const tn_shape shape = tn_shape_of(view->rank, view->shape);
    char text[512];
    fprintf(file, "%s %s [", tn_dtype_text(view->dtype), cli_shape_text(&shape, text, sizeof text));
    fprintf(file, "%s]", print_dense(file, view) > SHOWN ? ", …" : "");
}

void cli_print_tensor(FILE *file, const char *name, const tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    const tn_shape shape = tn_shape_of(view->rank, view->shape);
    char text[512];
    fprintf(file, "%s: %s%s %s [", name, cli_storage_text(tn_tensor_storage(tensor)),
            tn_dtype_text(view->dtype), cli_shape_text(&shape, text, sizeof text));
    const int64_t count = tn_tensor_storage(tensor) == TN_STORAGE_DENSE
                              ? print_dense(file, view)
                              : print_sparse(file, tensor);
    fprintf(file, "%s]\n", count > SHOWN ? ", …" : "");
}

/* JSON has no words for what is not finite: they are texts. */
static void print_json_number(FILE *file, double value) {
    if (isnan(value)) {
        fputs("\"nan\"", file);
    } else if (isinf(value)) {
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", file);
    } else {
        fprintf(file, "%.17g", value);
    }
}

static void print_json_indices(FILE *file, const char *name, const int64_t *indices,
                               int64_t count) {
    fprintf(file, "\"%s\": [", name);
    for (int64_t i = 0; i < count; i++) {
        fprintf(file, "%s%lld", i > 0 ? ", " : "", (long long)indices[i]);
    }
    fputs("], ", file);
}

/* The members of a sparse tensor that a dense one does not have. */
static void print_json_structure(FILE *file, const tn_tensor *tensor) {
    const tn_sparse *sparse = tn_tensor_sparse(tensor);
    fprintf(file, "\"storage\": \"%s\", ", tn_storage_name(sparse->storage));
    print_json_indices(file, "indices", sparse->indices, sparse->stored_count);
    if (sparse->row_starts != NULL) {
        print_json_indices(file, "row_starts", sparse->row_starts,
                           tn_tensor_view(tensor)->shape[0] + 1);
    }
}

static void print_json_elements(FILE *file, const tn_view *view, int64_t count);

/* The members that every tensor has in front of its elements. */
static void print_json_type(FILE *file, const tn_view *view) {
    fprintf(file, "\"dtype\": \"%s\", \"shape\": [", tn_dtype_text(view->dtype));
    for (int32_t axis = 0; axis < view->rank; axis++) {
        fprintf(file, "%s%lld", axis > 0 ? ", " : "", (long long)view->shape[axis]);
    }
    fputs("], ", file);
}

static void print_json_sequence(FILE *file, const tn_view *view) {
    tn_view item;
    for (int64_t i = 0; tn_sequence_item(view, i, &item); i++) {
        fputs(i > 0 ? ", {" : "{", file);
        print_json_type(file, &item);
        print_json_elements(file, &item, tn_element_count(&item));
    }
}

/* The rest of a tensor's object. */
static void print_json_elements(FILE *file, const tn_view *view, int64_t count) {
    fputs("\"data\": [", file);
    if (view->dtype == TN_SEQUENCE) {
        print_json_sequence(file, view);
        count = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", file);
        if (!print_exactly(file, view, i)) {
            print_json_number(file, cli_element(view, i));
        }
    }
    fputs("]}", file);
}

void cli_print_tensor_json(FILE *file, const char *name, const tn_tensor *tensor) {
    const bool is_sparse = tn_tensor_storage(tensor) != TN_STORAGE_DENSE;
    const tn_view *view = tn_tensor_view(tensor);
    int64_t count = is_sparse ? 0 : tn_element_count(view);
    fputs("{\"name\": ", file);
    cli_print_json_string(file, name);
    fputs(", ", file);
    print_json_type(file, view);
    tn_view values = *view;
    if (is_sparse) {
        print_json_structure(file, tensor);
        values = stored_values(tensor, &count);
    }
    print_json_elements(file, &values, count);
}
