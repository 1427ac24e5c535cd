#include "families.h"

const struct onnx_mapping sampling_mappings[] = {
    {0},
};
