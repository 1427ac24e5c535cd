#include "json_writer.h"

enum { LONGEST_LINE_LIST = 10, INDENT = 2 };

static void put(struct json_writer *writer, const char *text, size_t length) {
    if (writer->status == TN_OK && length > 0) {
        writer->status = writer->sink->write(writer->sink->context, text, length);
    }
}

static void put_text(struct json_writer *writer, const char *text) {
    put(writer, text, strlen(text));
}

static void put_line_break(struct json_writer *writer) {
    put_text(writer, "\n");
    for (uint32_t i = 0; i < writer->depth * INDENT; i++) {
        put_text(writer, " ");
    }
}

static void begin(struct json_writer *writer, int is_array, int multi_line) {
    put_text(writer, is_array ? "[" : "{");
    writer->scopes[writer->depth++] = (struct json_scope){is_array, multi_line, 0};
}

void json_writer_begin_object(struct json_writer *writer, int multi_line) {
    begin(writer, 0, multi_line);
}

void json_writer_begin_array(struct json_writer *writer, int multi_line) {
    begin(writer, 1, multi_line);
}

void json_writer_begin_list(struct json_writer *writer, uint64_t count) {
    begin(writer, 1, count > LONGEST_LINE_LIST);
}

void json_writer_end(struct json_writer *writer) {
    const struct json_scope scope = writer->scopes[--writer->depth];
    if (scope.is_multi_line && scope.item_count > 0) {
        put_line_break(writer);
    }
    put_text(writer, scope.is_array ? "]" : "}");
}

void json_writer_item(struct json_writer *writer) {
    struct json_scope *scope = &writer->scopes[writer->depth - 1];
    if (scope->item_count++ > 0) {
        put_text(writer, ", ");
    }
    if (scope->is_multi_line) {
        put_line_break(writer);
    }
}

void json_writer_key(struct json_writer *writer, const char *key) {
    json_writer_item(writer);
    json_writer_string(writer, key);
    put_text(writer, ": ");
}

/* MXNet reads five escapes only; a text without other control characters needs no more. */
static const char *escape(char c, char *buffer, size_t size) {
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default:
        if ((unsigned char)c >= 0x20) {
            return NULL;
        }
        snprintf(buffer, size, "\\u%04x", (unsigned)(unsigned char)c);
        return buffer;
    }
}

void json_writer_string(struct json_writer *writer, const char *text) {
    put_text(writer, "\"");
    const char *plain = text;
    for (; *text != '\0'; text++) {
        char buffer[8];
        const char *escaped = escape(*text, buffer, sizeof buffer);
        if (escaped != NULL) {
            put(writer, plain, (size_t)(text - plain));
            put_text(writer, escaped);
            plain = text + 1;
        }
    }
    put(writer, plain, (size_t)(text - plain));
    put_text(writer, "\"");
}

void json_writer_number(struct json_writer *writer, int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    put_text(writer, text);
}
