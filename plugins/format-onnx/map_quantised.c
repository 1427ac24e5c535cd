#include "families.h"

const struct onnx_mapping quantised_mappings[] = {
    {0},
};
