#include "contact_sheet.h"

#include <string.h>

#include "tensors.h"

enum { FRAME = 2, SMALLEST = 48 };

bool cli_contact_sheet_init(cli_contact_sheet *sheet, tn_runtime *runtime,
                            const tn_component *component, int64_t columns, int64_t rows) {
    const tn_shape *shape = &component->shape;
    const bool drawable = component->dtype == TN_U8 && shape->rank == 3 &&
                          (shape->extents[0] == 1 || shape->extents[0] == 3) &&
                          shape->extents[1] >= 1 && shape->extents[1] <= 1024 &&
                          shape->extents[2] >= 1 && shape->extents[2] <= 1024;
    if (!drawable) {
        char text[256];
        cli_fail_with("a contact sheet needs pictures of bytes, (1 or 3, height, width); the data "
                      "set has %s %s",
                      tn_dtype_text(component->dtype), cli_shape_text(shape, text, sizeof text));
        return false;
    }
    const int64_t scale = shape->extents[1] < SMALLEST ? 2 : 1;
    *sheet = (cli_contact_sheet){.columns = columns,
                                 .rows = rows,
                                 .cell_height = shape->extents[1] * scale + 2 * FRAME,
                                 .cell_width = shape->extents[2] * scale + 2 * FRAME,
                                 .scale = scale};
    const int64_t extents[] = {rows * sheet->cell_height, columns * sheet->cell_width, 3};
    if (tn_tensor_create(runtime, TN_U8, 3, extents, &sheet->canvas) != TN_OK) {
        cli_fail();
        return false;
    }
    memset(tn_tensor_data(sheet->canvas), 255, tn_tensor_byte_size(sheet->canvas));
    return true;
}

void cli_contact_sheet_add(cli_contact_sheet *sheet, const tn_component *component,
                           const uint8_t *picture, bool is_right) {
    if (sheet->count >= sheet->columns * sheet->rows) {
        return;
    }
    static const uint8_t right[3] = {225, 235, 225}, wrong[3] = {220, 30, 30};
    const int64_t channels = component->shape.extents[0], height = component->shape.extents[1];
    const int64_t width = component->shape.extents[2];
    const int64_t top = sheet->count / sheet->columns * sheet->cell_height;
    const int64_t left = sheet->count % sheet->columns * sheet->cell_width;
    uint8_t *canvas = tn_tensor_data(sheet->canvas);
    for (int64_t y = 0; y < sheet->cell_height; y++) {
        uint8_t *row = canvas + ((top + y) * sheet->columns * sheet->cell_width + left) * 3;
        for (int64_t x = 0; x < sheet->cell_width; x++) {
            const int64_t source_y = (y - FRAME) / sheet->scale,
                          source_x = (x - FRAME) / sheet->scale;
            const bool inside = y >= FRAME && x >= FRAME && source_y < height && source_x < width;
            for (int64_t c = 0; c < 3; c++) {
                const int64_t plane = channels == 3 ? c : 0;
                row[x * 3 + c] = inside ? picture[(plane * height + source_y) * width + source_x]
                                        : (is_right ? right : wrong)[c];
            }
        }
    }
    sheet->count++;
}

int cli_contact_sheet_write(const cli_contact_sheet *sheet, tn_runtime *runtime, const char *path) {
    return cli_write_tensor(runtime, path, NULL, sheet->canvas);
}

void cli_contact_sheet_finish(cli_contact_sheet *sheet) {
    tn_tensor_release(sheet->canvas);
    sheet->canvas = NULL;
}
