/* The SVG as pixels, by librsvg and cairo if they are installed; they are loaded when a picture is
 * requested. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "roofline/draw.h"

enum { SCALE = 2, RGB24 = 1 }; /* cairo.h: CAIRO_FORMAT_RGB24 */

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
  void (*destroy)(void *cairo);
  void (*surface_destroy)(void *surface);
} library;

static const struct {
  const char *soname;
  const char *name;
  void *function;
} functions[] = {
    {"librsvg-2.so.2", "rsvg_handle_new_from_data", &library.new_from_data},
    {"librsvg-2.so.2", "rsvg_handle_render_document", &library.render_document},
    {"libgobject-2.0.so.0", "g_object_unref", &library.unref},
    {"libcairo.so.2", "cairo_image_surface_create", &library.surface_create},
    {"libcairo.so.2", "cairo_create", &library.create},
    {"libcairo.so.2", "cairo_set_source_rgb", &library.set_source_rgb},
    {"libcairo.so.2", "cairo_paint", &library.paint},
    {"libcairo.so.2", "cairo_surface_write_to_png_stream", &library.write_stream},
    {"libcairo.so.2", "cairo_destroy", &library.destroy},
    {"libcairo.so.2", "cairo_surface_destroy", &library.surface_destroy},
};

static roof_status load(roof_error *error) {
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void *handle = dlopen(functions[i].soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *function = handle != NULL ? dlsym(handle, functions[i].name) : NULL;
    if (function == NULL) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED,
                            "PNG: %s %s; install librsvg (Debian: librsvg2-2), or write .svg",
                            functions[i].soname, handle != NULL ? "is too old" : "cannot be loaded");
    }
    *(void **)functions[i].function = function;
    dlclose(handle);
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

/** Paints `svg`, `width` by `height` units large, on white. */
static bool paint(const roof_text *svg, int width, int height, roof_text *out) {
  void *image = library.new_from_data((const unsigned char *)svg->data, svg->length, NULL);
  void *surface = library.surface_create(RGB24, SCALE * width, SCALE * height);
  void *cairo = library.create(surface);
  rectangle viewport = {0, 0, SCALE * width, SCALE * height};
  library.set_source_rgb(cairo, 1, 1, 1);
  library.paint(cairo);
  bool good = image != NULL && library.render_document(image, cairo, &viewport, NULL) != 0 &&
              library.write_stream(surface, append, out) == 0;
  library.destroy(cairo);
  library.surface_destroy(surface);
  if (image != NULL) {
    library.unref(image);
  }
  return good;
}

roof_status roof_draw_svg_png(const roof_text *svg, roof_text *out, roof_error *error) {
  roof_text png = {0};
  int width = 0, height = 0;
  roof_status status = roof_draw_png_check(error);
  if (status == ROOF_OK) {
    const char *size = strstr(svg->data, " width=\"");
    bool known = size != NULL && sscanf(size, " width=\"%d\" height=\"%d\"", &width, &height) == 2;
    status = known && paint(svg, width, height, &png) && !png.failed
                 ? ROOF_OK
                 : roof_error_set(error, ROOF_E_INTERNAL, "PNG: librsvg cannot draw the chart");
  }
  if (status == ROOF_OK) {
    roof_text_add_bytes(out, png.data, png.length);
    status = out->failed ? roof_error_set(error, ROOF_E_MEMORY, "PNG: out of memory") : ROOF_OK;
  }
  roof_text_done(&png);
  return status;
}
