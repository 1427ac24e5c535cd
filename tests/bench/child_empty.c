/* The floor of every start-up figure: a C program that does nothing but say that it is there. */
#include "child.h"

int main(void) {
    return child_report() ? 0 : 1;
}
