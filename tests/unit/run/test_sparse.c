#include "../graph/graph_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static tn_device *device;
static tn_session *session;

static void set_up(void) {
    fixture_set_up();
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK, "%s", tn_error_message());
}

static void tear_down(void) {
    tn_session_destroy(session);
    tn_device_close(device);
    fixture_tear_down();
}

TestSuite(sparse_run, .init = set_up, .fini = tear_down);

static const int64_t matrix[] = {4, 3};
static const float elements[] = {0, 5, 0, 0, 0, 0, 6, 0, 7, 0, 0, -0.0f};

static tn_tensor *dense_matrix(void) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 2, matrix, &tensor), TN_OK);
    memcpy(tn_tensor_data(tensor), elements, sizeof elements);
    return tensor;
}

static tn_tensor *cast(tn_tensor *tensor, const char *stype) {
    const tn_option option = {"stype", stype};
    tn_tensor *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "cast_storage", &option, 1, &tensor, 1, &result, 1), TN_OK,
                 "%s", tn_error_message());
    return result;
}

static tn_tensor *sparse_matrix(const char *stype) {
    tn_tensor *dense = dense_matrix(), *result = cast(dense, stype);
    tn_tensor_release(dense);
    return result;
}

static void expect_elements(tn_tensor *tensor, float factor) {
    tn_tensor *dense = cast(tensor, "default");
    for (int i = 0; i < 12; i++) {
        cr_expect_eq(((float *)tn_tensor_data(dense))[i], factor * elements[i], "element %d", i);
    }
    tn_tensor_release(dense);
}

static void open_session(void) {
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
}

Test(sparse_run, every_storage_becomes_every_other) {
    const char *const names[] = {"default", "row_sparse", "csr"};
    const int64_t stored[] = {0, 2, 3};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            tn_tensor *from = sparse_matrix(names[i]), *to = cast(from, names[j]);
            cr_expect_eq(tn_tensor_storage(to), TN_STORAGE_DENSE + (uint32_t)j);
            cr_expect_eq(tn_tensor_check_sparse(to), TN_OK);
            cr_expect_eq(j == 0 ? 0 : tn_tensor_sparse(to)->stored_count, stored[j], "%s to %s",
                         names[i], names[j]);
            expect_elements(to, 1);
            tn_tensor_release(from);
            tn_tensor_release(to);
        }
    }
}

Test(sparse_run, a_storage_that_the_shape_cannot_have_is_refused) {
    const float values[] = {1, 2};
    tn_tensor *vector = floats_of(2, values), *result = NULL;
    const tn_option csr = {"stype", "csr"};
    cr_expect_eq(tn_invoke(runtime, "cast_storage", &csr, 1, &vector, 1, &result, 1),
                 TN_INVALID_ARGUMENT);
    expect_message("a tensor of rank 1 cannot be stored as csr: expected rank 2");
    tn_tensor_release(vector);
}

/* Operators that know nothing of storages are given dense tensors. */
Test(sparse_run, conversions_are_put_around_what_takes_dense_tensors_alone) {
    tn_tensor *input = sparse_matrix("csr"), *result = NULL;
    output(unary("relu", "second", unary("probe_workspace", "first", variable("x"))));
    open_session();
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_tensor_storage(result), TN_STORAGE_DENSE);
    cr_assert_eq(tn_session_step_count(session), 3);
    tn_step_info info = {.struct_size = TN_STEP_INFO_SIZE};
    cr_assert_eq(tn_session_step(session, 0, &info), TN_OK);
    cr_expect_str_eq(info.op, "cast_storage");
    cr_expect_eq(info.output.storage, TN_STORAGE_DENSE);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

Test(sparse_run, eager_calls_convert_too) {
    tn_tensor *input = sparse_matrix("row_sparse"), *result = NULL;
    const tn_option axis = {"axis", "1"};
    cr_assert_eq(tn_invoke(runtime, "sum", &axis, 1, &input, 1, &result, 1), TN_OK, "%s",
                 tn_error_message());
    cr_expect_eq(((float *)tn_tensor_data(result))[2], 13);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

Test(sparse_run, a_sparse_parameter_is_converted_when_the_plan_is_made) {
    tn_tensor *weight = sparse_matrix("csr"), *input = dense_matrix(), *result = NULL;
    output(binary("broadcast_add", "sum", variable("x"), variable("w")));
    cr_assert_eq(tn_graph_set_parameter(graph, "w", weight), TN_OK);
    open_session();
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_session_step_count(session), 1);
    expect_elements(result, 2);
    tn_tensor_release(weight);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

static tn_value rows(const char *stype, const char *fault, tn_value data) {
    const char *const attributes[] = {"stype", stype, "fault", fault, NULL};
    return node_of("probe_rows", NULL, &data, 1, attributes);
}

/* What is stored differs from run to run; the output's memory is used again. */
Test(sparse_run, outputs_hold_what_the_kernel_asked_for) {
    tn_tensor *input = dense_matrix(), *result = NULL;
    const char *const attributes[] = {"stype", "csr", NULL};
    const tn_value x = variable("x");
    output(node_of("cast_storage", "y", &x, 1, attributes));
    open_session();
    const int64_t stored[] = {3, 1, 0, 3};
    for (int i = 0; i < 4; i++) {
        float *data = tn_tensor_data(input);
        memcpy(data, elements, sizeof elements);
        data[6] = i == 0 || i == 3 ? 6 : 0;
        data[8] = i == 0 || i == 3 ? 7 : 0;
        data[1] = i == 2 ? 0 : 5;
        cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
        cr_expect_eq(tn_tensor_sparse(result)->stored_count, stored[i]);
        cr_expect_eq(tn_tensor_check_sparse(result), TN_OK);
    }
    expect_elements(result, 1);
    tn_plan_info info = {.struct_size = TN_PLAN_INFO_SIZE};
    cr_assert_eq(tn_session_plan(session, &info), TN_OK);
    cr_expect_eq(info.plans_made, 1);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

Test(sparse_run, an_output_that_nobody_asks_room_for_is_zero) {
    tn_tensor *input = dense_matrix(), *result = sparse_matrix("row_sparse");
    output(rows("row_sparse", "never_asks", variable("x")));
    open_session();
    cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_tensor_sparse(result)->stored_count, 0);
    expect_elements(result, 0);
    tn_tensor_release(input);
    tn_tensor_release(result);
}

/* The next kernel trusts indices, so that a wrong one stops here. */
Test(sparse_run, faulty_kernels_are_named) {
    const struct {
        const char *stype, *fault, *words;
        tn_status status;
    } cases[] = {
        {"row_sparse", "unsorted", "kernel probe_rows.cpu: output 0: index 1", TN_CORRUPT},
        {"row_sparse", "outside", "index 3 of a row_sparse tensor", TN_CORRUPT},
        {"csr", "outside", "row 3: index 3 of a csr tensor", TN_CORRUPT},
        {"csr", "row_starts", "row start 1 of a csr tensor is 5", TN_CORRUPT},
        {"row_sparse", "too_many", "13 rows are to be stored in a row_sparse tensor that has 4",
         TN_INVALID_ARGUMENT},
        {"csr", "too_many", "13 elements are to be stored", TN_INVALID_ARGUMENT},
        {"row_sparse", "fails", "a fault of the probe", TN_UNSUPPORTED},
    };
    tn_tensor *input = dense_matrix();
    const tn_value x = variable("x");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_tensor *result = NULL, *given = sparse_matrix(cases[i].stype);
        output(rows(cases[i].stype, cases[i].fault, x));
        open_session();
        cr_expect_eq(tn_session_run(session, &input, &result), cases[i].status, "case %zu", i);
        expect_message(cases[i].words);
        expect_message("(probe_rows)");
        cr_expect_null(result);
        cr_expect_eq(tn_session_run(session, &input, &given), cases[i].status);
        cr_expect_eq(tn_tensor_check_sparse(given), TN_OK, "it may hold anything that is sparse");
        tn_session_destroy(session);
        session = NULL;
        tn_tensor_release(given);
    }
    tn_tensor_release(input);
}

Test(sparse_run, wrong_inputs_are_refused_before_a_kernel_sees_them) {
    tn_tensor *input = sparse_matrix("csr"), *result = NULL;
    output(unary("relu", "y", variable("x")));
    open_session();
    tn_tensor_sparse(input)->indices[0] = 3;
    cr_expect_eq(tn_session_run(session, &input, &result), TN_CORRUPT);
    expect_message("run: input 'x': row 0: index 0 of a csr tensor is 3");
    cr_expect_eq(tn_invoke(runtime, "relu", NULL, 0, &input, 1, &result, 1), TN_CORRUPT);
    expect_message("invoke relu: input 0: row 0");
    tn_session_destroy(session);
    session = NULL;
    cr_assert_eq(tn_graph_set_parameter(graph, "x", input), TN_OK);
    cr_expect_eq(tn_session_create(graph, device, NULL, &session), TN_CORRUPT);
    expect_message("session: parameter 'x': row 0");
    tn_tensor_release(input);
}

Test(sparse_run, outputs_of_another_storage_are_refused) {
    tn_tensor *input = dense_matrix(), *wrong = sparse_matrix("csr"), *dense = dense_matrix();
    output(rows("row_sparse", "right", variable("x")));
    open_session();
    cr_expect_eq(tn_session_run(session, &input, &wrong), TN_INVALID_ARGUMENT);
    expect_message("is given a tensor of csr float32 (4,3): expected row_sparse float32 (4,3)");
    cr_expect_eq(tn_session_run(session, &input, &dense), TN_INVALID_ARGUMENT);
    tn_tensor_release(input);
    tn_tensor_release(wrong);
    tn_tensor_release(dense);
}

/* A sparse value that is two outputs, and an input that is an output. */
Test(sparse_run, values_may_be_several_outputs) {
    tn_tensor *inputs[] = {dense_matrix(), sparse_matrix("csr")}, *results[3] = {NULL};
    const tn_value x = variable("x"), y = variable("y"), made = rows("row_sparse", "right", x);
    const tn_value outputs[] = {made, y, made};
    cr_assert_eq(tn_graph_set_outputs(graph, outputs, 3), TN_OK);
    const tn_tensor_type csr = {0, TN_STORAGE_CSR, tn_shape_unknown()};
    cr_assert_eq(tn_graph_set_variable(graph, y.node, &csr, NULL), TN_OK);
    open_session();
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_run(session, inputs, results), TN_OK, "%s", tn_error_message());
        for (int j = 0; j < 3; j++) {
            expect_elements(results[j], 1);
        }
    }
    cr_assert_eq(
        tn_session_run(session, inputs, (tn_tensor *[]){results[0], inputs[1], results[2]}), TN_OK,
        "%s", tn_error_message());
    expect_elements(inputs[1], 1);
    for (int j = 0; j < 3; j++) {
        tn_tensor_release(results[j]);
    }
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

Test(sparse_run, an_eager_output_is_no_input) {
    tn_tensor *input = sparse_matrix("csr"), *result = input;
    const tn_option stype = {"stype", "csr"};
    cr_expect_eq(tn_invoke(runtime, "cast_storage", &stype, 1, &input, 1, &result, 1),
                 TN_INVALID_ARGUMENT);
    expect_message("give one of its own");
    expect_elements(input, 1);
    tn_tensor_release(input);
}

Test(sparse_run, retained_rows) {
    static const float wanted[] = {3, 0, 1, 3};
    tn_tensor *inputs[] = {sparse_matrix("row_sparse"), floats_of(4, wanted)}, *result = NULL;
    cr_assert_eq(tn_invoke(runtime, "_sparse_retain", NULL, 0, inputs, 2, &result, 1), TN_OK, "%s",
                 tn_error_message());
    const tn_sparse *parts = tn_tensor_sparse(result);
    const int64_t rows_kept[] = {0, 1, 3};
    cr_assert_eq(parts->stored_count, 3);
    cr_expect_arr_eq(parts->indices, rows_kept, sizeof rows_kept);
    const float values[] = {0, 5, 0, 0, 0, 0, 0, 0, 0};
    cr_expect_arr_eq(parts->values, values, sizeof values);
    ((float *)tn_tensor_data(inputs[1]))[0] = 4;
    cr_expect_eq(tn_invoke(runtime, "_sparse_retain", NULL, 0, inputs, 2, &result, 1),
                 TN_OUT_OF_RANGE);
    expect_message("indices name row 4 of a tensor that has 4 rows");
    tn_tensor_release(inputs[0]);
    inputs[0] = dense_matrix();
    cr_expect_eq(tn_invoke(runtime, "_sparse_retain", NULL, 0, inputs, 2, &result, 1),
                 TN_INVALID_ARGUMENT);
    expect_message("data is dense, but row_sparse is expected");
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_tensor_release(result);
}

/* A list with one csr array, [[0,0,5],[7,0,0]], byte for byte as MXNet 1.9.1 writes it. */
static const unsigned char saved_csr[164] =
    "\x12\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0" /* 0: mark, reserved, count */
    "\xc9\xfa\x93\xf9\2\0\0\0"                             /* 24: version 2, csr */
    "\1\0\0\0\2\0\0\0\0\0\0\0"                             /* 32: what is stored: (2) */
    "\2\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"             /* 44: the shape: (2,3) */
    "\1\0\0\0\0\0\0\0\0\0\0\0"                             /* 64: device, float32 */
    "\6\0\0\0\1\0\0\0\3\0\0\0\0\0\0\0"                     /* 76: row starts: int64 (3) */
    "\6\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0"                     /* 92: columns: int64 (2) */
    "\0\0\xa0\x40\0\0\xe0\x40"                             /* 108: 5, 7 */
    "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"     /* 116: 0, 1, 2 */
    "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"                     /* 140: 2, 0 */
    "\0\0\0\0\0\0\0";                                      /* 156: no names */

Test(sparse_run, arrays_of_mxnet_come_and_go) {
    tn_tensor_list *list, *made;
    char path[] = P_tmpdir "/tenon-sparse-XXXXXX.params";
    cr_assert_eq(tn_tensor_list_read_memory(runtime, saved_csr, sizeof saved_csr, NULL, &list),
                 TN_OK, "%s", tn_error_message());
    const tn_sparse *parts = tn_tensor_sparse(tn_tensor_list_get(list, 0));
    cr_assert_not_null(parts);
    cr_expect_eq(parts->storage, TN_STORAGE_CSR);
    cr_expect_eq(parts->stored_count, 2);
    cr_expect_eq(((float *)parts->values)[1], 7);
    cr_assert_geq(mkstemps(path, 7), 0);
    cr_assert_eq(tn_tensor_list_write(list, path, NULL), TN_OK, "%s", tn_error_message());
    unsigned char bytes[200];
    FILE *file = fopen(path, "rb");
    cr_assert_eq(fread(bytes, 1, sizeof bytes, file), sizeof saved_csr);
    fclose(file);
    cr_expect_arr_eq(bytes, saved_csr, sizeof saved_csr);
    tn_tensor_list_destroy(list);
    /* Both kinds, with names. */
    tn_tensor *rows_tensor = sparse_matrix("row_sparse"), *csr = sparse_matrix("csr");
    cr_assert_eq(tn_tensor_list_create(runtime, &made), TN_OK);
    cr_assert_eq(tn_tensor_list_add(made, "rows", rows_tensor), TN_OK);
    cr_assert_eq(tn_tensor_list_add(made, "csr", csr), TN_OK);
    cr_assert_eq(tn_tensor_list_write(made, path, NULL), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_tensor_list_read(runtime, path, &list), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_tensor_storage(tn_tensor_list_get(list, 0)), TN_STORAGE_ROW_SPARSE);
    expect_elements(tn_tensor_list_get(list, 0), 1);
    expect_elements(tn_tensor_list_get(list, 1), 1);
    tn_tensor_list_destroy(list);
    tn_tensor_list_destroy(made);
    tn_tensor_release(rows_tensor);
    tn_tensor_release(csr);
    unlink(path);
}

Test(sparse_run, hostile_arrays_are_refused) {
    const struct {
        size_t at;
        unsigned char byte;
        tn_status status;
    } changes[] = {
        {140, 3, TN_CORRUPT},    /* a column beyond the matrix */
        {147, 0x80, TN_CORRUPT}, /* a negative one */
        {124, 3, TN_CORRUPT},    /* row starts that go beyond the count */
        {132, 1, TN_CORRUPT},    /* that do not end at it */
        {116, 1, TN_CORRUPT},    /* that do not begin at 0 */
        {36, 9, TN_CORRUPT},     /* more values than the file has */
        {43, 0x7f, TN_CORRUPT},  /* far more */
        {48, 9, TN_CORRUPT},     /* more rows than row starts */
        {55, 0x7f, TN_CORRUPT},  /* far more */
        {44, 3, TN_CORRUPT},     /* a csr array of rank 3 */
        {28, 1, TN_CORRUPT},     /* the same bytes as row_sparse */
        {100, 1, TN_CORRUPT},    /* fewer columns than values */
        {76, 0, TN_CORRUPT},     /* row starts of float32 */
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        unsigned char bytes[sizeof saved_csr];
        tn_tensor_list *list = NULL;
        memcpy(bytes, saved_csr, sizeof bytes);
        bytes[changes[i].at] = changes[i].byte;
        cr_expect_eq(tn_tensor_list_read_memory(runtime, bytes, sizeof bytes, NULL, &list),
                     changes[i].status, "change %zu: %s", i, tn_error_message());
        cr_expect_null(list);
    }
}

/* Sparse values cross the border of a subgraph as they are. */
Test(sparse_run, subgraphs_take_and_give_sparse_tensors) {
    tn_tensor *input = sparse_matrix("csr"), *result = NULL;
    const tn_value x = variable("x"), held = node_of("subgraph", "held", &x, 1, NULL);
    tn_graph *outer = graph;
    const char *const three[] = {"scalar", "3", NULL};
    cr_assert_eq(tn_graph_add_subgraph(outer, held.node, &graph), TN_OK);
    const tn_value item = variable("item");
    output(node_of("_mul_scalar", "inner", &item, 1, three));
    graph = outer;
    output(held);
    open_session();
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tn_session_run(session, &input, &result), TN_OK, "%s", tn_error_message());
        cr_expect_eq(tn_tensor_storage(result), TN_STORAGE_CSR);
        expect_elements(result, 3);
    }
    tn_tensor_release(input);
    tn_tensor_release(result);
}
