/*
 * The loops of ROIAlign for one element type. Included once for each with these defined:
 *   ELEMENT  the type in memory        REAL     the type to calculate in
 *   LOAD(x)  an element as a REAL      STORE(x) a REAL as an element
 *   NAMED(x) the names of types and functions
 */
#define REGION NAMED(region)
#define SAMPLE NAMED(sample)

/* A region in cells of the picture, and how many samples a cell of the grid takes. */
typedef struct REGION {
    int64_t picture;
    REAL left, top, bin_width, bin_height;
    int64_t samples_across, samples_down;
} REGION;

/* A point between four elements of a channel, with the part that each has in it. */
typedef struct SAMPLE {
    int64_t offsets[4];
    REAL weights[4];
} SAMPLE;

static int64_t NAMED(sample_count)(const roi_align_attributes *given, REAL bin_size) {
    return given->sample_ratio > 0 ? given->sample_ratio
                                   : bounded_integer(ceil((double)bin_size), MAX_SAMPLES);
}

static REGION NAMED(region_of)(const region_job *job, int64_t roi) {
    const roi_align_attributes *given = job->attributes;
    const ELEMENT *fields = (const ELEMENT *)tn_data(job->rois) + roi * REGION_FIELDS;
    const REAL scale = (REAL)given->spatial_scale;
    const REAL shift = given->aligned ? (REAL)0.5 : (REAL)0;
    const REAL left = LOAD(fields[1]) * scale - shift, top = LOAD(fields[2]) * scale - shift;
    REAL width = LOAD(fields[3]) * scale - shift - left;
    REAL height = LOAD(fields[4]) * scale - shift - top;
    if (!given->aligned) {
        width = width > 1 ? width : 1;
        height = height > 1 ? height : 1;
    }
    REGION region = {
        .picture = bounded_integer((double)LOAD(fields[0]), MAX_SAMPLES),
        .left = left,
        .top = top,
        .bin_width = width / (REAL)job->grid_width,
        .bin_height = height / (REAL)job->grid_height,
    };
    region.samples_across = NAMED(sample_count)(given, region.bin_width);
    region.samples_down = NAMED(sample_count)(given, region.bin_height);
    return region;
}

/* The elements on both sides of a coordinate and how far it is from the lower one. 0 when the
 * coordinate is further outside than one element. */
static int NAMED(neighbours)(REAL at, int64_t extent, int64_t *out_low, int64_t *out_high,
                             REAL *out_fraction) {
    if (!(at >= -1 && at <= (REAL)extent)) {
        return 0;
    }
    const REAL inside = at > 0 ? at : 0;
    const int64_t low = (int64_t)inside;
    const int at_border = low >= extent - 1;
    *out_low = at_border ? extent - 1 : low;
    *out_high = at_border ? extent - 1 : low + 1;
    *out_fraction = at_border ? 0 : inside - (REAL)low;
    return 1;
}

static SAMPLE NAMED(sample_at)(const region_job *job, const int64_t rows[2],
                               const int64_t columns[2], REAL below, REAL right) {
    const REAL above = 1 - below, left = 1 - right;
    return (SAMPLE){
        {rows[0] * job->width + columns[0], rows[0] * job->width + columns[1],
         rows[1] * job->width + columns[0], rows[1] * job->width + columns[1]},
        {above * left, above * right, below * left, below * right},
    };
}

/* Adds samples to one cell of all channels. `data` is the first channel that the cell reads. */
static void NAMED(add_samples)(const region_job *job, const ELEMENT *data, int64_t plane_step,
                               const SAMPLE *samples, int count, ELEMENT *output) {
    const int64_t cells = job->grid_height * job->grid_width;
    for (int64_t channel = 0; channel < job->grid_channels; channel++) {
        const ELEMENT *plane = data + channel * plane_step;
        REAL sum = LOAD(output[channel * cells]);
        for (int i = 0; i < count; i++) {
            const SAMPLE *at = &samples[i];
            sum += at->weights[0] * LOAD(plane[at->offsets[0]]) +
                   at->weights[1] * LOAD(plane[at->offsets[1]]) +
                   at->weights[2] * LOAD(plane[at->offsets[2]]) +
                   at->weights[3] * LOAD(plane[at->offsets[3]]);
        }
        output[channel * cells] = STORE(sum);
    }
}

/* Divides one cell of all channels by the number of samples. */
static void NAMED(divide)(const region_job *job, REAL divisor, ELEMENT *output) {
    const int64_t cells = job->grid_height * job->grid_width;
    for (int64_t channel = 0; channel < job->grid_channels; channel++) {
        output[channel * cells] = STORE(LOAD(output[channel * cells]) / divisor);
    }
}

/* Samples one cell of the grid of a region, whose picture is there. `data` and `plane_step` are as
 * for add_samples. */
static void NAMED(sample_cell)(const region_job *job, const REGION *region, int64_t cell,
                               const ELEMENT *data, int64_t plane_step, ELEMENT *output) {
    const REAL down = (REAL)region->samples_down, across = (REAL)region->samples_across;
    const REAL top = region->top + (REAL)(cell / job->grid_width) * region->bin_height;
    const REAL left = region->left + (REAL)(cell % job->grid_width) * region->bin_width;
    SAMPLE samples[SAMPLES_AT_ONCE];
    int64_t first_y, last_y, first_x, last_x, rows[2], columns[2];
    REAL below, right;
    int count = 0;
    sample_range((double)top, (double)(region->bin_height / down), region->samples_down,
                 job->height, &first_y, &last_y);
    sample_range((double)left, (double)(region->bin_width / across), region->samples_across,
                 job->width, &first_x, &last_x);
    for (int64_t y = first_y; y < last_y; y++) {
        const REAL at_y = top + ((REAL)y + (REAL)0.5) * region->bin_height / down;
        if (!NAMED(neighbours)(at_y, job->height, &rows[0], &rows[1], &below)) {
            continue;
        }
        for (int64_t x = first_x; x < last_x; x++) {
            const REAL at_x = left + ((REAL)x + (REAL)0.5) * region->bin_width / across;
            if (!NAMED(neighbours)(at_x, job->width, &columns[0], &columns[1], &right)) {
                continue;
            }
            samples[count++] = NAMED(sample_at)(job, rows, columns, below, right);
            if (count == SAMPLES_AT_ONCE) {
                NAMED(add_samples)(job, data, plane_step, samples, count, output);
                count = 0;
            }
        }
    }
    NAMED(add_samples)(job, data, plane_step, samples, count, output);
    if (down * across > 1) {
        NAMED(divide)(job, down * across, output);
    }
}

static void NAMED(align_cells)(void *context, int64_t begin, int64_t end) {
    const region_job *job = context;
    const roi_align_attributes *given = job->attributes;
    const int64_t cells = job->grid_height * job->grid_width;
    const int64_t plane = job->height * job->width;
    for (int64_t i = begin; i < end; i++) {
        const int64_t cell = i % cells;
        const REGION region = NAMED(region_of)(job, i / cells);
        ELEMENT *output =
            (ELEMENT *)tn_data(job->output) + i / cells * job->grid_channels * cells + cell;
        for (int64_t channel = 0; channel < job->grid_channels; channel++) {
            output[channel * cells] = STORE(0);
        }
        if (plane == 0 || region.picture < 0 || region.picture >= job->batch) {
            continue;
        }
        const ELEMENT *data =
            (const ELEMENT *)tn_data(job->data) + region.picture * job->channels * plane;
        if (given->position_sensitive) {
            NAMED(sample_cell)(job, &region, cell, data + cell * plane, cells * plane, output);
        } else {
            NAMED(sample_cell)(job, &region, cell, data, plane, output);
        }
    }
}

#undef REGION
#undef SAMPLE
#undef ELEMENT
#undef REAL
#undef LOAD
#undef STORE
#undef NAMED
