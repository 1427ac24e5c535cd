#include "families.h"

const struct onnx_mapping window_mappings[] = {
    {0},
};
