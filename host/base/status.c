/* Names and sentences of status codes, from the one list. */
#include <tenon/api.h>

const char *tn_status_name(tn_status status) {
    switch (status) {
#define NAME_CASE(code, name, sentence)                                                            \
    case code: return #name;
        TN_STATUS_LIST(NAME_CASE)
#undef NAME_CASE
    default: return "UNKNOWN";
    }
}

const char *tn_status_sentence(tn_status status) {
    switch (status) {
#define SENTENCE_CASE(code, name, sentence)                                                        \
    case code: return sentence;
        TN_STATUS_LIST(SENTENCE_CASE)
#undef SENTENCE_CASE
    default: return "a status that this library does not know";
    }
}

const char *tn_version(void) {
    return TENON_VERSION;
}
