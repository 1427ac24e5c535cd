/* A library that knows nothing of Tenon: `toy` names an operator. */
#define EXPORT __attribute__((visibility("default")))

extern EXPORT const char toy[];
EXPORT const char toy[] = "toy_operator";

#ifdef FAULT
extern EXPORT const int FAULT;
EXPORT const int FAULT = 1;
#endif
