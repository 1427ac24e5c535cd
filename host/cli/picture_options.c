/* How pictures are prepared, from the file beside the model and from the command line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "picture.h"

enum { MAX_SIDE = 65536 };

static int wrong(const char *key, const char *value, const char *expected) {
    return cli_bad_usage("picture option %s=%s: expected %s", key, value, expected);
}

/* `count` numbers, separated by commas; one stands for all. */
static bool read_numbers(const char *text, double *numbers, int count) {
    int found = 0;
    for (const char *at = text; found < count; found++) {
        char *end;
        numbers[found] = strtod(at, &end);
        if (end == at || (*end != '\0' && *end != ',')) {
            return false;
        }
        if (*end == '\0') {
            found++;
            break;
        }
        at = end + 1;
        if (found + 1 == count) {
            return false; /* more than there are channels */
        }
    }
    for (int i = 1; found == 1 && i < count; i++) {
        numbers[i] = numbers[0];
    }
    return found == 1 || found == count;
}

static int take_side(const char *key, const char *value, int64_t *out_side) {
    char *end;
    const long long side = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || side < 1 || side > MAX_SIDE) {
        return wrong(key, value, "a number from 1 to 65536");
    }
    *out_side = side;
    return CLI_OK;
}

/* "320" or "320,240": height, then width. */
static int take_size(const char *value, cli_picture_options *options) {
    double sides[2];
    if (!read_numbers(value, sides, 2) || !(sides[0] >= 1) || !(sides[0] <= MAX_SIDE) ||
        !(sides[1] >= 1) || !(sides[1] <= MAX_SIDE)) {
        return wrong("size", value, "HEIGHT,WIDTH");
    }
    options->height = (int64_t)sides[0];
    options->width = (int64_t)sides[1];
    return CLI_OK;
}

/* The number of the word, which are separated by bars; -1: none of them. */
static int word_number(const char *words, const char *value) {
    const size_t length = strlen(value);
    int number = 0;
    for (const char *at = words;; number++) {
        const size_t own = strcspn(at, "|");
        if (own == length && strncmp(at, value, own) == 0) {
            return number;
        }
        if (at[own] == '\0') {
            return -1;
        }
        at += own + 1;
    }
}

static int take_word(const char *key, const char *value, const char *words, int *out_number) {
    *out_number = word_number(words, value);
    return *out_number >= 0 ? CLI_OK : wrong(key, value, words);
}

static int take_option(cli_picture_options *options, const char *key, const char *value) {
    int number = 0, result;
    if (strcmp(key, "size") == 0) {
        return take_size(value, options);
    }
    if (strcmp(key, "short_side") == 0) {
        return take_side(key, value, &options->short_side);
    }
    if (strcmp(key, "resize") == 0) {
        result = take_word(key, value, "stretch|cover|fit", &number);
        options->resize = (picture_resize)number;
        return result;
    }
    if (strcmp(key, "channels") == 0) {
        result = take_word(key, value, "RGB|BGR|grey", &number);
        options->channels = (picture_channels)number;
        return result;
    }
    if (strcmp(key, "layout") == 0) {
        result = take_word(key, value, "NCHW|NHWC", &number);
        options->is_channels_last = number == 1;
        return result;
    }
    if (strcmp(key, "place") == 0) {
        result = take_word(key, value, "middle|corner", &number);
        options->is_in_corner = number == 1;
        return result;
    }
    const bool is_mean = strcmp(key, "mean") == 0, is_std = strcmp(key, "std") == 0;
    if (is_mean || is_std) {
        double *target = is_mean ? options->mean : options->std;
        const bool fits = read_numbers(value, target, PICTURE_CHANNELS) &&
                          (is_mean || (target[0] != 0 && target[1] != 0 && target[2] != 0));
        return fits ? CLI_OK
                    : wrong(key, value, is_mean ? "1 or 3 numbers" : "1 or 3 numbers but 0");
    }
    if (strcmp(key, "scale") == 0 || strcmp(key, "fill") == 0) {
        double *target = key[0] == 's' ? &options->scale : &options->fill;
        return read_numbers(value, target, 1) ? CLI_OK : wrong(key, value, "a number");
    }
    return cli_bad_usage("there is no picture option %s: there are size, resize, short_side, "
                         "place, fill, channels, layout, scale, mean, std",
                         key);
}

/* As the command line has it: an array as a list with commas. */
static bool text_of(const json_t *value, char *text, size_t size) {
    const size_t count = json_is_array(value) ? json_array_size(value) : 1;
    size_t used = 0;
    text[0] = '\0';
    if (json_is_string(value)) {
        return (size_t)snprintf(text, size, "%s", json_string_value(value)) < size;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(value) ? json_array_get(value, i) : value;
        if (!json_is_number(item) || used >= size) {
            return false;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i > 0 ? "," : "",
                                 json_number_value(item));
    }
    return used < size;
}

static int read_file(const char *path, cli_picture_options *options) {
    json_error_t error;
    const char *key;
    json_t *value;
    int result = CLI_OK;
    if (access(path, F_OK) != 0) {
        return CLI_OK;
    }
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root)) {
        json_decref(root);
        return cli_fail_with("%s: %s", path,
                             root == NULL ? error.text : "expected an object of options");
    }
    json_object_foreach(root, key, value) {
        char text[256];
        if (result == CLI_OK) {
            result = text_of(value, text, sizeof text)
                         ? take_option(options, key, text)
                         : cli_fail_with("%s: %s is no number, text or list of numbers", path, key);
        }
    }
    json_decref(root);
    return result;
}

int cli_picture_options_read(const cli_arguments *arguments, const char *model,
                             cli_picture_options *out_options) {
    *out_options = (cli_picture_options){.scale = 1, .std = {1, 1, 1}};
    const size_t size = strlen(model) + sizeof ".picture.json";
    char *path = malloc(size);
    if (path == NULL) {
        return cli_fail_with("out of memory");
    }
    snprintf(path, size, "%s.picture.json", model);
    int result = read_file(path, out_options);
    free(path);
    for (int i = 0; result == CLI_OK && i < arguments->option_count; i++) {
        const cli_given *given = &arguments->options[i];
        char *key;
        const char *value;
        if (strcmp(given->name, "--picture-option") != 0) {
            continue;
        }
        if (strchr(given->value, '=') == NULL) {
            return cli_bad_usage("--picture-option %s: expected KEY=VALUE", given->value);
        }
        if (!cli_split(given->value, &key, &value)) {
            return cli_fail_with("out of memory");
        }
        result = take_option(out_options, key, value);
        free(key);
    }
    return result;
}
