/* The SVG as pixels or as PDF, by librsvg and cairo if they are installed; they are loaded when a picture is
 * requested. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "host/library.h"
#include "roofline/draw.h"

enum {
  SCALE = 2,
  RGB24 = 1,
  CREATED = 5
}; /* cairo.h: CAIRO_FORMAT_RGB24; cairo-pdf.h: CAIRO_PDF_METADATA_CREATE_DATE */

/** RsvgRectangle of librsvg/rsvg.h */
typedef struct rectangle {
  double x, y, width, height;
} rectangle;

/* The parts used of librsvg/rsvg.h (2.46 and later), cairo.h and glib-object.h. */
static struct {
  void *(*new_from_data)(const unsigned char *data, size_t size, void **error);
  int (*render_document)(void *handle, void *cairo, const rectangle *viewport, void **error);
  void (*unref)(void *object);
  void *(*surface_create)(int format, int width, int height);
  void *(*create)(void *surface);
  void (*set_source_rgb)(void *cairo, double red, double green, double blue);
  void (*paint)(void *cairo);
  int (*write_stream)(void *surface, int (*write)(void *to, const unsigned char *data, unsigned size),
                      void *to);
  void *(*pdf_create)(int (*write)(void *to, const unsigned char *data, unsigned size), void *to,
                      double width, double height);
  void (*set_metadata)(void *surface, int what, const char *text);
  int (*surface_status)(void *surface);
  void (*surface_finish)(void *surface);
  void (*destroy)(void *cairo);
  void (*surface_destroy)(void *surface);
} library;

static const rf_symbol of_librsvg[] = {
    {"rsvg_handle_new_from_data", &library.new_from_data},
    {"rsvg_handle_render_document", &library.render_document},
};
static const rf_symbol of_gobject[] = {{"g_object_unref", &library.unref}};
static const rf_symbol of_cairo[] = {
    {"cairo_image_surface_create", &library.surface_create},
    {"cairo_create", &library.create},
    {"cairo_set_source_rgb", &library.set_source_rgb},
    {"cairo_paint", &library.paint},
    {"cairo_surface_write_to_png_stream", &library.write_stream},
    {"cairo_pdf_surface_create_for_stream", &library.pdf_create},
    {"cairo_pdf_surface_set_metadata", &library.set_metadata},
    {"cairo_surface_status", &library.surface_status},
    {"cairo_surface_finish", &library.surface_finish},
    {"cairo_destroy", &library.destroy},
    {"cairo_surface_destroy", &library.surface_destroy},
};

/* They stay loaded: GObject cannot be unloaded. */
static const rf_library libraries[] = {
    {.sonames = {"librsvg-2.so.2"}, .symbols = of_librsvg, .count = sizeof of_librsvg / sizeof of_librsvg[0]},
    {.sonames = {"libgobject-2.0.so.0"}, .symbols = of_gobject, .count = 1},
    {.sonames = {"libcairo.so.2"}, .symbols = of_cairo, .count = sizeof of_cairo / sizeof of_cairo[0]},
};
enum { LIBRARIES = sizeof libraries / sizeof libraries[0] };

static roof_status load(roof_error *error) {
  static rf_loaded loaded[LIBRARIES];
  const char *refusal = rf_library_refusal();
  if (refusal != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "PNG and PDF: %s; write .svg", refusal);
  }
  for (size_t i = 0; i < LIBRARIES; i++) {
    if (loaded[i].handle == NULL && !rf_library_load(&libraries[i], &loaded[i])) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED,
                            "PNG and PDF: %s %s; install librsvg (Debian: librsvg2-2), or write .svg",
                            libraries[i].sonames[0],
                            loaded[i].soname != NULL ? "is too old" : "cannot be loaded");
    }
  }
  return ROOF_OK;
}

roof_status roof_draw_png_check(roof_error *error) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  roof_status status = load(error);
  pthread_mutex_unlock(&mutex);
  return status;
}

static int append(void *to, const unsigned char *data, unsigned size) {
  roof_text_add_bytes(to, (const char *)data, size);
  return 0;
}

/** Draws `svg` on the whole of a surface, over white. */
static bool paint(const roof_text *svg, void *surface, double width, double height) {
  void *image = library.new_from_data((const unsigned char *)svg->data, svg->length, NULL);
  void *cairo = library.create(surface);
  const rectangle viewport = {0, 0, width, height};
  library.set_source_rgb(cairo, 1, 1, 1);
  library.paint(cairo);
  bool good = image != NULL && library.render_document(image, cairo, &viewport, NULL) != 0;
  library.destroy(cairo);
  if (image != NULL) {
    library.unref(image);
  }
  return good;
}

static bool make_png(const roof_text *svg, int width, int height, roof_text *out) {
  void *surface = library.surface_create(RGB24, SCALE * width, SCALE * height);
  bool good =
      paint(svg, surface, SCALE * width, SCALE * height) && library.write_stream(surface, append, out) == 0;
  library.surface_destroy(surface);
  return good;
}

/** A page as large as the picture, a unit of which is a CSS pixel. */
static bool make_pdf(const roof_text *svg, int width, int height, roof_text *out) {
  double points = 72.0 / 96;
  void *surface = library.pdf_create(append, out, points * width, points * height);
  library.set_metadata(surface, CREATED, "2000-01-01T00:00:00Z"); /* the same picture is the same file */
  bool good = paint(svg, surface, points * width, points * height);
  library.surface_finish(surface);
  good = good && library.surface_status(surface) == 0;
  library.surface_destroy(surface);
  return good;
}

/** Paints a picture that was drawn here by `make`. */
static roof_status draw(const roof_text *svg, bool (*make)(const roof_text *, int, int, roof_text *),
                        const char *name, roof_text *out, roof_error *error) {
  roof_text made = {0};
  int width = 0, height = 0;
  roof_status status = roof_draw_png_check(error);
  if (status == ROOF_OK) {
    const char *size = strstr(svg->data, " width=\"");
    bool known = size != NULL && sscanf(size, " width=\"%d\" height=\"%d\"", &width, &height) == 2;
    status = known && make(svg, width, height, &made) && !made.failed
                 ? ROOF_OK
                 : roof_error_set(error, ROOF_E_INTERNAL, "%s: librsvg cannot draw the chart", name);
  }
  if (status == ROOF_OK) {
    roof_text_add_bytes(out, made.data, made.length);
    status = out->failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", name) : ROOF_OK;
  }
  roof_text_done(&made);
  return status;
}

roof_status roof_draw_svg_png(const roof_text *svg, roof_text *out, roof_error *error) {
  return draw(svg, make_png, "PNG", out, error);
}

roof_status roof_draw_svg_pdf(const roof_text *svg, roof_text *out, roof_error *error) {
  return draw(svg, make_pdf, "PDF", out, error);
}
