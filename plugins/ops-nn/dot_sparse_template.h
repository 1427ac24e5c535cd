/* Template, see dot_sparse.c: `factor` times a row of rhs is added to a row of the result. */

static void REAL_NAME(add_scaled)(const void *row, int64_t begin, int64_t end, const void *factor,
                                  void *result) {
    const REAL scale = *(const REAL *)factor;
    const REAL *from = row;
    REAL *to = result;
    for (int64_t i = begin; i < end; i++) {
        to[i] += scale * from[i];
    }
}
