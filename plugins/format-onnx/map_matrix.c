#include "families.h"

const struct onnx_mapping matrix_mappings[] = {
    {0},
};
