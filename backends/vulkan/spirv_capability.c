/*
 * What capabilities ask of a device. A capability that is not in the table is refused by number:
 * the device has not been asked for it when it was opened.
 */
#include <string.h>

#include "spirv_grammar.h"

typedef struct capability_row {
    uint32_t capability;
    const char *name;
    vulkan_features needs;       /* all of them */
    uint32_t subgroup_operation; /* bit of VkSubgroupFeatureFlags; 0: none */
    vulkan_features widths;      /* sizes of types that it allows */
} capability_row;

static const capability_row rows[] = {
    {0, "Matrix", 0, 0, 0},
    {1, "Shader", 0, 0, 0},
    {9, "Float16", VULKAN_BIT(FLOAT16), 0, VULKAN_BIT(FLOAT16)},
    {10, "Float64", VULKAN_BIT(FLOAT64), 0, VULKAN_BIT(FLOAT64)},
    {11, "Int64", VULKAN_BIT(INT64), 0, VULKAN_BIT(INT64)},
    {22, "Int16", VULKAN_BIT(INT16), 0, VULKAN_BIT(INT16)},
    {39, "Int8", VULKAN_BIT(INT8), 0, VULKAN_BIT(INT8)},
    {61, "GroupNonUniform", 0, 0x01, 0},
    {62, "GroupNonUniformVote", 0, 0x02, 0},
    {63, "GroupNonUniformArithmetic", 0, 0x04, 0},
    {64, "GroupNonUniformBallot", 0, 0x08, 0},
    {65, "GroupNonUniformShuffle", 0, 0x10, 0},
    {66, "GroupNonUniformShuffleRelative", 0, 0x20, 0},
    {67, "GroupNonUniformClustered", 0, 0x40, 0},
    {68, "GroupNonUniformQuad", 0, 0x80, 0},
    {4433, "StorageBuffer16BitAccess", VULKAN_BIT(STORAGE16), 0, VULKAN_BIT(STORAGE16)},
    {4448, "StorageBuffer8BitAccess", VULKAN_BIT(STORAGE8), 0, VULKAN_BIT(STORAGE8)},
    {5345, "VulkanMemoryModel", VULKAN_BIT(MEMORY_MODEL), 0, 0},
    {5346, "VulkanMemoryModelDeviceScope", VULKAN_BIT(MEMORY_MODEL), 0, 0},
    {5347, "PhysicalStorageBufferAddresses", VULKAN_BIT(DEVICE_ADDRESS), 0, 0},
    {5357, "CooperativeMatrixNV", VULKAN_BIT(COOPERATIVE_MATRIX_NV), 0, 0},
    {6016, "DotProductInputAll", VULKAN_BIT(INTEGER_DOT), 0, 0},
    {6017, "DotProductInput4x8Bit", VULKAN_BIT(INTEGER_DOT), 0, 0},
    {6018, "DotProductInput4x8BitPacked", VULKAN_BIT(INTEGER_DOT), 0, 0},
    {6019, "DotProduct", VULKAN_BIT(INTEGER_DOT), 0, 0},
    {6022, "CooperativeMatrixKHR", VULKAN_BIT(COOPERATIVE_MATRIX), 0, 0},
};

int spirv_capability_allowed(spirv_verifier *verifier, uint32_t capability) {
    const spirv_environment *environment = verifier->environment;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].capability != capability) {
            continue;
        }
        const uint32_t operation = rows[i].subgroup_operation;
        if ((environment->features & rows[i].needs) != rows[i].needs ||
            (environment->subgroup_operations & operation) != operation) {
            return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                                       "capability %s is needed, which the device lacks",
                                       rows[i].name);
        }
        verifier->widths |= rows[i].widths;
        verifier->declared |= rows[i].needs;
        verifier->subgroup_operations |= operation;
        return 1;
    }
    return spirv_refuse_module(verifier, TN_UNSUPPORTED,
                               "capability %u is needed, which this backend does not know",
                               (unsigned)capability);
}

/* Subgroup instructions in order, with the capabilities of which each needs one. */
static uint32_t subgroup_needs(uint32_t opcode) {
    enum { ELECT = 333, VOTE_END = 337, BALLOT_END = 345, SHUFFLE_END = 347, RELATIVE_END = 349 };
    enum { ARITHMETIC_END = 365, QUAD_END = 367 };
    if (opcode < ELECT || opcode >= QUAD_END) {
        return 0;
    }
    return opcode == ELECT           ? 0x01
           : opcode < VOTE_END       ? 0x02
           : opcode < BALLOT_END     ? 0x08
           : opcode < SHUFFLE_END    ? 0x10
           : opcode < RELATIVE_END   ? 0x20
           : opcode < ARITHMETIC_END ? 0x04 | 0x40
                                     : 0x80;
}

static vulkan_features feature_needs(uint32_t opcode) {
    enum { DOT = 4450, MATRIX_KHR = 4456, MATRIX_KHR_END = 4461, MATRIX_NV = 5358 };
    enum { MATRIX_NV_END = 5363 };
    if (opcode == SPIRV_OP_CONVERT_U_TO_PTR || opcode == SPIRV_OP_CONVERT_PTR_TO_U) {
        return VULKAN_BIT(DEVICE_ADDRESS);
    }
    if (opcode >= DOT && opcode < MATRIX_KHR) {
        return VULKAN_BIT(INTEGER_DOT);
    }
    if (opcode >= MATRIX_KHR && opcode < MATRIX_KHR_END) {
        return VULKAN_BIT(COOPERATIVE_MATRIX);
    }
    return opcode >= MATRIX_NV && opcode < MATRIX_NV_END ? VULKAN_BIT(COOPERATIVE_MATRIX_NV) : 0;
}

int spirv_check_declared(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const uint32_t subgroup = subgroup_needs(instruction->opcode);
    const vulkan_features features = feature_needs(instruction->opcode);
    return ((subgroup == 0 || (subgroup & verifier->subgroup_operations) != 0) &&
            (features & verifier->declared) == features) ||
           spirv_refuse(verifier, instruction, "no capability allows it");
}

int spirv_check_capability(spirv_verifier *verifier, const spirv_instruction *instruction) {
    enum { SHADER = 1 };
    verifier->has_shader |= instruction->operands[0] == SHADER;
    return spirv_capability_allowed(verifier, instruction->operands[0]);
}

/* Extensions whose instructions are in the grammar; what they need is asked of the capabilities. */
int spirv_extension_allowed(const char *name) {
    static const char *const known[] = {
        "SPV_KHR_16bit_storage",
        "SPV_KHR_8bit_storage",
        "SPV_KHR_cooperative_matrix",
        "SPV_KHR_integer_dot_product",
        "SPV_KHR_no_integer_wrap_decoration",
        "SPV_KHR_non_semantic_info",
        "SPV_KHR_physical_storage_buffer",
        "SPV_KHR_storage_buffer_storage_class",
        "SPV_KHR_vulkan_memory_model",
        "SPV_NV_cooperative_matrix",
        "SPV_GOOGLE_decorate_string",
        "SPV_GOOGLE_hlsl_functionality1",
        "SPV_GOOGLE_user_type",
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

int spirv_check_extension(spirv_verifier *verifier, const spirv_instruction *instruction) {
    const char *name = (const char *)instruction->operands;
    return spirv_extension_allowed(name) ||
           spirv_refuse_module(verifier, TN_UNSUPPORTED,
                               "extension %.60s is needed, which this backend does not know", name);
}
