/*
 * As much of MXNet's lib_api.h as the example of docs/mxnet-extensions.md uses, by the names that
 * it has there. It is written for the tests alone: libraries are built against MXNet's own.
 */
#ifndef TEST_LIB_API_H
#define TEST_LIB_API_H

#include <unordered_map>

#define HAS_INITIALIZE
#include "extension.hpp"

namespace mxnet {
namespace ext {

enum MXReturnValue { MX_FAIL = 0, MX_SUCCESS = 1 };
enum MXDType { kFloat32 = 0 };

struct MXTensor {
    tensor whole;
    template <typename T> T *data() const {
        return static_cast<T *>(whole.data);
    }
    int64_t size() const {
        return whole.size();
    }
};

struct OpResource {
    const resources &given;
    void *alloc_cpu(int size) const {
        return given.allocate(given.context, size);
    }
};

typedef std::unordered_map<std::string, std::string> attributes;

/* Collects one operator; the functions differ from the tests' own in what they take by pointer. */
class CustomOp {
  public:
    explicit CustomOp(const char *name) : op() {
        op.name = name;
        op.context = "cpu";
    }
    template <typename F> CustomOp &setForward(F function, const char *) {
        op.forward = adapted(function);
        return *this;
    }
    template <typename F> CustomOp &setBackward(F function, const char *) {
        op.backward = adapted(function);
        return *this;
    }
    template <typename F> CustomOp &setParseAttrs(F function) {
        op.parse = [function](const texts &given, int *inputs, int *outputs) {
            return static_cast<int>(function(converted(given), inputs, outputs));
        };
        return *this;
    }
    template <typename F> CustomOp &setInferType(F function) {
        op.type = [function](const texts &given, std::vector<int> &in, std::vector<int> &out) {
            return static_cast<int>(function(converted(given), &in, &out));
        };
        return *this;
    }
    template <typename F> CustomOp &setInferShape(F function) {
        op.shape = [function](const texts &given, shape_list &in, shape_list &out) {
            return static_cast<int>(function(converted(given), &in, &out));
        };
        return *this;
    }
    registered op;

  private:
    static attributes converted(const texts &given) {
        return attributes(given.begin(), given.end());
    }
    template <typename F> static compute_function adapted(F function) {
        return [function](const texts &given, tensors &in, tensors &out, const resources &r) {
            std::vector<MXTensor> inputs, outputs;
            for (const tensor &t : in) {
                inputs.push_back({t});
            }
            for (const tensor &t : out) {
                outputs.push_back({t});
            }
            return static_cast<int>(function(converted(given), &inputs, &outputs, OpResource{r}));
        };
    }
};

inline std::vector<registered> &collected() {
    static std::vector<registered> all;
    return all;
}

struct Registration {
    Registration(const CustomOp &made) {
        collected().push_back(made.op);
    }
};

} // namespace ext
} // namespace mxnet

const std::vector<registered> &operators() {
    return mxnet::ext::collected();
}

#define REGISTER_OP(name)                                                                          \
    static const mxnet::ext::Registration registration_##name = mxnet::ext::CustomOp(#name)

/* The library's author writes initialize with MXReturnValue; what is exported is this. */
mxnet::ext::MXReturnValue initialize(int version);
EXPORT int initialize_export(int version) asm("initialize");
EXPORT int initialize_export(int version) {
    return initialize(version);
}

#endif
