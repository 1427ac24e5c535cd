// What both forms of the matrix product are told.
layout(push_constant) uniform Push {
    uint rows;
    uint columns;
    uint terms;
    uint batches;
    uint left_stride; // from row to row, in elements
    uint left_term_stride;
    uint right_stride; // from column to column
    uint right_term_stride;
    uint left_batch_stride;
    uint right_batch_stride;
    uint left_first; // where the operands begin in what is bound, in elements
    uint right_first;
    uint bias_first;
    uint has_bias;
    uint result_first; // one for each column
};
