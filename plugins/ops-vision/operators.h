/*
 * All operators of this folder and the functions of their kernels. An operator that is known by
 * several names has a row for each.
 */
#ifndef OPS_VISION_OPERATORS_H
#define OPS_VISION_OPERATORS_H

#include <tenon/plugin.h>

/* X(operator, name, element types, prepare, run) */
#define OPERATORS(X)                                                                               \
    X(roi_pooling, "ROIPooling", real_dtypes, NULL, roi_pooling_run)                               \
    X(roi_align, "_contrib_ROIAlign", real_dtypes, NULL, roi_align_run)                            \
    X(box_nms, "_contrib_box_nms", real_dtypes, box_nms_prepare, box_nms_run)                      \
    X(box_nms, "_contrib_box_non_maximum_suppression", real_dtypes, box_nms_prepare, box_nms_run)  \
    X(box_iou, "_contrib_box_iou", real_dtypes, box_iou_prepare, box_iou_run)                      \
    X(multibox_prior, "_contrib_MultiBoxPrior", single_dtypes, NULL, multibox_prior_run)           \
    X(multibox_prior, "MultiBoxPrior", single_dtypes, NULL, multibox_prior_run)                    \
    X(multibox_detection, "_contrib_MultiBoxDetection", single_dtypes, multibox_detection_prepare, \
      multibox_detection_run)                                                                      \
    X(multibox_detection, "MultiBoxDetection", single_dtypes, multibox_detection_prepare,          \
      multibox_detection_run)

#define DECLARE_OPERATOR(OP, NAME, DTYPES, PREPARE, RUN)                                           \
    extern const tn_op OP##_op;                                                                    \
    tn_status RUN(const tn_run_call *call);
OPERATORS(DECLARE_OPERATOR)
#undef DECLARE_OPERATOR

tn_status box_nms_prepare(tn_prepare_call *call);
tn_status box_iou_prepare(tn_prepare_call *call);
tn_status multibox_detection_prepare(tn_prepare_call *call);

#endif
