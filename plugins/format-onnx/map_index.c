#include "families.h"

const struct onnx_mapping index_mappings[] = {
    {0},
};
