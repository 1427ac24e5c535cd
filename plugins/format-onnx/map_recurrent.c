#include "families.h"

const struct onnx_mapping recurrent_mappings[] = {
    {0},
};
