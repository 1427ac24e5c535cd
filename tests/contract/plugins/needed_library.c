/* The library that "needs_library" links, and that is not there when it is loaded. */
__attribute__((visibility("default"))) int needed_library_value(void);
int needed_library_value(void) {
    return 1;
}
