/** What a page has for scripts: web/page, built into the library (cmake/Page.cmake). */
#ifndef RF_DRAW_PAGE_H
#define RF_DRAW_PAGE_H

/** The text of the script and of its style, and how a content security policy names the script. */
extern const char rf_page_script[], rf_page_style[], rf_page_hash[];

#endif
