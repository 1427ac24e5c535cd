/*
 * The loops of box_iou for one element type. Included once for each with these defined:
 *   ELEMENT  the type in memory        REAL     the type to calculate in
 *   LOAD(x)  an element as a REAL      STORE(x) a REAL as an element
 *   BOXES    the struct of boxes.h     BOXES_(x) its functions
 *   NAMED(x) the functions' names
 */

/* Sets the boxes from `first` on from the rows of a tensor. */
static void NAMED(load_boxes)(const tn_view *view, int32_t format, const BOXES *boxes,
                              int64_t first) {
    const ELEMENT *elements = tn_data(view);
    const int64_t count = tn_element_count(view) / BOX_NUMBERS;
    for (int64_t i = 0; i < count; i++) {
        REAL numbers[BOX_NUMBERS];
        for (int k = 0; k < BOX_NUMBERS; k++) {
            numbers[k] = LOAD(elements[i * BOX_NUMBERS + k]);
        }
        BOXES_(set)(boxes, first + i, numbers, format);
    }
}

/* The overlaps of boxes `begin` to `end` of lhs with all of rhs. */
static void NAMED(compare_rows)(void *context, int64_t begin, int64_t end) {
    const box_iou_job *job = context;
    const BOXES boxes = BOXES_(in)(job->workspace, job->lhs_count + job->rhs_count);
    REAL overlaps[OVERLAPS_AT_ONCE];
    for (int64_t row = begin; row < end; row++) {
        ELEMENT *output = (ELEMENT *)tn_data(job->output) + row * job->rhs_count;
        for (int64_t first = 0; first < job->rhs_count; first += OVERLAPS_AT_ONCE) {
            const int64_t left = job->rhs_count - first;
            const int64_t count = left < OVERLAPS_AT_ONCE ? left : OVERLAPS_AT_ONCE;
            const int64_t other = job->lhs_count + first;
            BOXES_(overlaps)(&boxes, row, other, other + count, overlaps);
            for (int64_t i = 0; i < count; i++) {
                output[first + i] = STORE(overlaps[i]);
            }
        }
    }
}

static void NAMED(compare)(const tn_host *host, box_iou_job *job) {
    const BOXES boxes = BOXES_(in)(job->workspace, job->lhs_count + job->rhs_count);
    NAMED(load_boxes)(job->lhs, job->format, &boxes, 0);
    NAMED(load_boxes)(job->rhs, job->format, &boxes, job->lhs_count);
    tn_parallel_for(host, job->lhs_count, GRAIN_OVERLAPS / job->rhs_count + 1, NAMED(compare_rows),
                    job);
}

#undef ELEMENT
#undef REAL
#undef LOAD
#undef STORE
#undef BOXES
#undef BOXES_
#undef NAMED
