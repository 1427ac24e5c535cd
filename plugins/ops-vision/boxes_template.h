/*
 * The functions of boxes.h for one type. Included once for each with these defined:
 *   REAL         the type of a number
 *   BOXES        the struct
 *   NAMED(name)  the functions' names
 */

uint64_t NAMED(size)(int64_t count) {
    return (uint64_t)count * (6 * sizeof(REAL) + sizeof(int32_t));
}

BOXES NAMED(in)(void *memory, int64_t count) {
    REAL *numbers = memory;
    return (BOXES){
        .left = numbers,
        .top = numbers + count,
        .right = numbers + 2 * count,
        .bottom = numbers + 3 * count,
        .area = numbers + 4 * count,
        .class_id = numbers + 5 * count,
        .suppressed = (int32_t *)(void *)(numbers + 6 * count),
    };
}

void NAMED(set)(const BOXES *boxes, int64_t i, const REAL numbers[4], int32_t format) {
    REAL width = numbers[2], height = numbers[3];
    if (format == BOX_CORNER) {
        width = numbers[2] - numbers[0];
        height = numbers[3] - numbers[1];
    }
    const int centered = format == BOX_CENTER;
    boxes->left[i] = centered ? numbers[0] - width / 2 : numbers[0];
    boxes->top[i] = centered ? numbers[1] - height / 2 : numbers[1];
    boxes->right[i] = centered ? numbers[0] + width / 2 : numbers[2];
    boxes->bottom[i] = centered ? numbers[1] + height / 2 : numbers[3];
    boxes->area[i] = width < 0 || height < 0 ? 0 : width * height;
}

static inline REAL NAMED(larger)(REAL left, REAL right) {
    return left > right ? left : right;
}

static inline REAL NAMED(smaller)(REAL left, REAL right) {
    return left < right ? left : right;
}

/* NaN when both are empty. */
static inline REAL NAMED(overlap)(const BOXES *boxes, int64_t one, int64_t other) {
    const REAL width = NAMED(smaller)(boxes->right[one], boxes->right[other]) -
                       NAMED(larger)(boxes->left[one], boxes->left[other]);
    const REAL height = NAMED(smaller)(boxes->bottom[one], boxes->bottom[other]) -
                        NAMED(larger)(boxes->top[one], boxes->top[other]);
    const REAL intersection = NAMED(larger)(width, 0) * NAMED(larger)(height, 0);
    return intersection / (boxes->area[one] + boxes->area[other] - intersection);
}

void NAMED(overlaps)(const BOXES *boxes, int64_t one, int64_t begin, int64_t end, REAL *out) {
    for (int64_t i = begin; i < end; i++) {
        const REAL overlap = NAMED(overlap)(boxes, one, i);
        out[i - begin] = overlap > 0 ? overlap : 0;
    }
}

void NAMED(suppress)(const BOXES *boxes, int64_t count, int every, REAL threshold) {
    memset(boxes->suppressed, 0, (size_t)count * sizeof *boxes->suppressed);
    for (int64_t best = 0; best < count; best++) {
        if (boxes->suppressed[best]) {
            continue;
        }
        for (int64_t i = best + 1; i < count; i++) {
            const int same = every | (boxes->class_id[i] == boxes->class_id[best]);
            boxes->suppressed[i] |= same & (NAMED(overlap)(boxes, best, i) > threshold);
        }
    }
}

#undef REAL
#undef BOXES
#undef NAMED
