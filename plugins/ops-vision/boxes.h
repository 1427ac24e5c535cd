/*
 * Rectangles, their overlap, and non-maximum suppression. Everything is there for float and for
 * double, since what overlaps enough depends on how the element type rounds.
 */
#ifndef OPS_VISION_BOXES_H
#define OPS_VISION_BOXES_H

#include <tenon/plugin.h>

/* How four numbers describe a box: (x, y, width, height) or (left, top, right, bottom). The order
 * of the words in attributes. */
enum { BOX_CENTER, BOX_CORNER };

/*
 * BOXES      arrays of boxes, one for each number of a box, so that loops over them vectorise
 * _size      the bytes that the arrays of `count` boxes take
 * _in        the arrays, in memory of that size
 * _set       sets box `i` from four numbers in a format
 * _overlaps  how much box `one` overlaps each of the boxes `begin` to `end`: the part that their
 *            intersection has of their union, 0 when both are empty
 * _suppress  goes through the boxes from the first, best one on; one that is left suppresses those
 *            behind it that overlap it by more than `threshold` and, unless `every`, are of the
 *            same class
 */
#define DECLARE_BOXES(BOXES, REAL)                                                                 \
    typedef struct BOXES {                                                                         \
        REAL *left, *top, *right, *bottom, *area;                                                  \
        REAL *class_id;                                                                            \
        int32_t *suppressed; /* 0 or 1 */                                                          \
    } BOXES;                                                                                       \
    uint64_t BOXES##_size(int64_t count);                                                          \
    BOXES BOXES##_in(void *memory, int64_t count);                                                 \
    void BOXES##_set(const BOXES *boxes, int64_t i, const REAL numbers[4], int32_t format);        \
    void BOXES##_overlaps(const BOXES *boxes, int64_t one, int64_t begin, int64_t end, REAL *out); \
    void BOXES##_suppress(const BOXES *boxes, int64_t count, int every, REAL threshold);

DECLARE_BOXES(boxes_f32, float)
DECLARE_BOXES(boxes_f64, double)

#undef DECLARE_BOXES

#endif
