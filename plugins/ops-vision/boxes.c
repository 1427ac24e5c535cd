#include "boxes.h"

#define REAL float
#define BOXES boxes_f32
#define NAMED(name) boxes_f32_##name
#include "boxes_template.h"

#define REAL double
#define BOXES boxes_f64
#define NAMED(name) boxes_f64_##name
#include "boxes_template.h"
