/* Template, see group_norm.c. */

static void REAL_NAME(normalize_groups)(void *context, int64_t begin, int64_t end) {
    const group_rows *rows = context;
    for (int64_t index = begin; index < end; index++) {
        const int64_t group = index % rows->group_count;
        const element_row row = {index * rows->length, 1, rows->length};
        const row_moments moments = REAL_NAME(moments_of_row)(rows->from, row);
        const double deviation = sqrt(moments.variance + rows->eps);
        const REAL mean = (REAL)moments.mean;
        const REAL gamma = REAL_NAME(read_one)(rows->gamma, group);
        const REAL scale = (REAL)((double)gamma / deviation);
        const REAL shift = REAL_NAME(read_one)(rows->beta, group);
        REAL_NAME(scale_row)(rows->from, rows->to, row, mean, scale, shift);
        if (rows->mean.elements != NULL) {
            REAL_NAME(write_one)(rows->mean, index, mean);
            REAL_NAME(write_one)(rows->deviation, index, (REAL)deviation);
        }
    }
}
