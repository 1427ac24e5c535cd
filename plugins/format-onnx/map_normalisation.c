#include "families.h"

const struct onnx_mapping normalisation_mappings[] = {
    {0},
};
