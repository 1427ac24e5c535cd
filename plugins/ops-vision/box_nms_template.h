/*
 * The loops of box_nms for one element type. Included once for each with these defined:
 *   ELEMENT  the type in memory        REAL     the type to calculate in
 *   LOAD(x)  an element as a REAL      STORE(x) a REAL as an element
 *   BOXES    the struct of boxes.h     BOXES_(x) its functions
 *   NAMED(x) the functions' names
 */

/* Lists the boxes of one picture that take part, and says how many there are. */
static int64_t NAMED(collect)(const box_nms_attributes *given, const ELEMENT *rows, int64_t count,
                              int64_t width, scored *items) {
    int64_t taking_part = 0;
    for (int64_t i = 0; i < count; i++) {
        const ELEMENT *row = rows + i * width;
        const REAL score = LOAD(row[given->score_index]);
        const int is_background =
            given->id_index >= 0 && LOAD(row[given->id_index]) == (REAL)given->background_id;
        if (score > (REAL)given->valid_thresh && !is_background) {
            items[taking_part++] = (scored){(double)score, i};
        }
    }
    return taking_part;
}

static void NAMED(load_box)(const box_nms_attributes *given, const ELEMENT *row, const BOXES *boxes,
                            int64_t i) {
    REAL numbers[4];
    for (int k = 0; k < 4; k++) {
        numbers[k] = LOAD(row[given->coord_start + k]);
    }
    BOXES_(set)(boxes, i, numbers, given->in_format);
    boxes->class_id[i] = given->id_index < 0 ? 0 : LOAD(row[given->id_index]);
}

/* Writes the box's four numbers in the other format. */
static void NAMED(convert)(const box_nms_attributes *given, ELEMENT *row) {
    ELEMENT *at = row + given->coord_start;
    const REAL a = LOAD(at[0]), b = LOAD(at[1]), c = LOAD(at[2]), d = LOAD(at[3]);
    if (given->out_format == BOX_CENTER) {
        at[0] = STORE((a + c) / 2);
        at[1] = STORE((b + d) / 2);
        at[2] = STORE(c - a);
        at[3] = STORE(d - b);
    } else {
        at[0] = STORE(a - c / 2);
        at[1] = STORE(b - d / 2);
        at[2] = STORE(a + c / 2);
        at[3] = STORE(b + d / 2);
    }
}

/* One picture. */
static void NAMED(suppress_picture)(const box_nms_job *job, int64_t picture) {
    const box_nms_attributes *given = job->attributes;
    const int64_t width = job->width, count = job->count;
    const ELEMENT *rows = (const ELEMENT *)job->source + picture * count * width;
    ELEMENT *output = (ELEMENT *)job->target + picture * count * width;
    char *workspace = job->workspace + (uint64_t)picture * job->picture_workspace;
    scored *items = (scored *)(void *)workspace;
    int64_t kept = NAMED(collect)(given, rows, count, width, items);
    score_order(items, items + count, kept);
    kept = given->topk >= 0 && given->topk < kept ? given->topk : kept;
    const BOXES boxes = BOXES_(in)(items + 2 * count, count);
    for (int64_t i = 0; i < kept; i++) {
        NAMED(load_box)(given, rows + items[i].place * width, &boxes, i);
    }
    BOXES_(suppress)(&boxes, kept, given->force_suppress, (REAL)given->overlap_thresh);
    int64_t written = 0;
    for (int64_t i = 0; i < kept; i++) {
        if (!boxes.suppressed[i]) {
            ELEMENT *row = output + written++ * width;
            memcpy(row, rows + items[i].place * width, (size_t)width * sizeof *row);
            if (given->in_format != given->out_format) {
                NAMED(convert)(given, row);
            }
        }
    }
    for (int64_t i = written * width; i < count * width; i++) {
        output[i] = STORE(-1);
    }
}

static void NAMED(suppress_pictures)(void *context, int64_t begin, int64_t end) {
    for (int64_t picture = begin; picture < end; picture++) {
        NAMED(suppress_picture)(context, picture);
    }
}

#undef ELEMENT
#undef REAL
#undef LOAD
#undef STORE
#undef BOXES
#undef BOXES_
#undef NAMED
