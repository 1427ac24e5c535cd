/* A picture of many small pictures, those that were classified wrongly in a red frame. */
#ifndef TENON_CLI_CONTACT_SHEET_H
#define TENON_CLI_CONTACT_SHEET_H

#include "command.h"

typedef struct cli_contact_sheet {
    tn_tensor *canvas; /* (height, width, 3) bytes */
    int64_t columns, rows, count;
    int64_t cell_height, cell_width, scale;
} cli_contact_sheet;

/* Room for `rows` times `columns` pictures of a data set whose samples are (channels, height,
 * width) bytes, with 1 or 3 channels. False after a complaint. */
bool cli_contact_sheet_init(cli_contact_sheet *sheet, tn_runtime *runtime,
                            const tn_component *component, int64_t columns, int64_t rows);

/* Adds the next picture, if there is still room. `picture` has one sample's bytes. */
void cli_contact_sheet_add(cli_contact_sheet *sheet, const tn_component *component,
                           const uint8_t *picture, bool is_right);

int cli_contact_sheet_write(const cli_contact_sheet *sheet, tn_runtime *runtime, const char *path);

void cli_contact_sheet_finish(cli_contact_sheet *sheet);

#endif
