#include "families.h"

const struct onnx_mapping reduction_mappings[] = {
    {0},
};
