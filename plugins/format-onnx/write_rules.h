/* The functions that write one kind of node; write_rules.c has the table. */
#ifndef FORMAT_ONNX_WRITE_RULES_H
#define FORMAT_ONNX_WRITE_RULES_H

#include "writer.h"

/* write_layers.c */
tn_status write_instance_norm(struct written_node *node);
tn_status write_layer_norm(struct written_node *node);
tn_status write_step_softmax(struct written_node *node);
tn_status write_fully_connected(struct written_node *node);
tn_status write_batch_norm(struct written_node *node);
tn_status write_activation(struct written_node *node);
tn_status write_leaky_relu(struct written_node *node);
tn_status write_softmax(struct written_node *node);
tn_status write_softmax_activation(struct written_node *node);
tn_status write_softmax_output(struct written_node *node);
tn_status write_up_sampling(struct written_node *node);
tn_status write_lrn(struct written_node *node);

/* write_shapes.c */
tn_status write_concat(struct written_node *node);
tn_status write_flatten(struct written_node *node);
tn_status write_reshape(struct written_node *node);
tn_status write_transpose(struct written_node *node);
tn_status write_expand_dims(struct written_node *node);
tn_status write_reduction(struct written_node *node);
tn_status write_slice_channel(struct written_node *node);
tn_status write_cast(struct written_node *node);
tn_status write_clip(struct written_node *node);

/* write_windows.c */
tn_status write_convolution(struct written_node *node);
tn_status write_deconvolution(struct written_node *node);
tn_status write_pooling(struct written_node *node);

/* write_cuts.c */
tn_status write_crop(struct written_node *node);
tn_status write_embedding(struct written_node *node);
tn_status write_pad(struct written_node *node);
tn_status write_slice_axis(struct written_node *node);

#endif
