/*
 * The loops of ROIPooling for one element type. Included once for each with these defined:
 *   ELEMENT  the type in memory        REAL     the type to calculate in
 *   LOAD(x)  an element as a REAL      STORE(x) a REAL as an element
 *   LOWEST   the lowest finite REAL    NAMED(x) the function's name
 */

/* Bin `i` along an axis: the cells that its part of the region touches, within a picture of `limit`
 * cells. `start` is the region's first cell. */
static void NAMED(bin_range)(int64_t start, REAL bin_size, int64_t i, int64_t limit,
                             int64_t *out_begin, int64_t *out_end) {
    const int64_t begin = (int64_t)floor((double)((REAL)i * bin_size)) + start;
    const int64_t end = (int64_t)ceil((double)((REAL)(i + 1) * bin_size)) + start;
    *out_begin = within(begin, limit);
    *out_end = within(end, limit);
}

/* Pools one channel of one region. */
static void NAMED(pool_channel)(const region_job *job, int64_t roi, int64_t channel) {
    const roi_pooling_attributes *given = job->attributes;
    const ELEMENT *region = (const ELEMENT *)tn_data(job->rois) + roi * REGION_FIELDS;
    const int64_t cells = job->grid_height * job->grid_width;
    ELEMENT *output =
        (ELEMENT *)tn_data(job->output) + (roi * job->grid_channels + channel) * cells;
    const int64_t picture = bounded_integer((double)LOAD(region[0]), MAX_CELL);
    const int is_there = picture >= 0 && picture < job->batch;
    const int64_t plane = is_there ? picture * job->channels + channel : 0;
    const ELEMENT *data = (const ELEMENT *)tn_data(job->data) + plane * job->height * job->width;
    const REAL scale = (REAL)given->spatial_scale;
    int64_t edges[4]; /* left, top, right, bottom */
    for (int i = 0; i < 4; i++) {
        edges[i] = bounded_integer(round((double)(LOAD(region[i + 1]) * scale)), MAX_CELL);
    }
    const REAL bin_width = (REAL)extent_of(edges[0], edges[2]) / (REAL)job->grid_width;
    const REAL bin_height = (REAL)extent_of(edges[1], edges[3]) / (REAL)job->grid_height;
    for (int64_t cell = 0; cell < cells; cell++) {
        const int64_t row = cell / job->grid_width, column = cell % job->grid_width;
        int64_t top = 0, bottom = 0, left = 0, right = 0;
        if (is_there) {
            NAMED(bin_range)(edges[1], bin_height, row, job->height, &top, &bottom);
            NAMED(bin_range)(edges[0], bin_width, column, job->width, &left, &right);
        }
        REAL largest = bottom > top && right > left ? LOWEST : (REAL)0;
        for (int64_t y = top; y < bottom; y++) {
            for (int64_t x = left; x < right; x++) {
                const REAL value = LOAD(data[y * job->width + x]);
                largest = value > largest ? value : largest;
            }
        }
        output[cell] = STORE(largest);
    }
}

static void NAMED(pool_channels)(void *context, int64_t begin, int64_t end) {
    const region_job *job = context;
    for (int64_t i = begin; i < end; i++) {
        NAMED(pool_channel)(job, i / job->grid_channels, i % job->grid_channels);
    }
}

#undef ELEMENT
#undef REAL
#undef LOAD
#undef STORE
#undef LOWEST
#undef NAMED
