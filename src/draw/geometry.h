/** Where roofs, ridges and dots lie in the log-log plane; shared by all drawings. */
#ifndef RF_DRAW_GEOMETRY_H
#define RF_DRAW_GEOMETRY_H

#include "roofline/draw.h"

typedef struct rf_point {
  double x, y;
} rf_point;

/** Of a line. Not hypot, a new version of which would make the program need glibc 2.35. */
double rf_length(double dx, double dy);

/** All numbers are log10: x of FLOP/byte, y of FLOP/s. */
typedef struct rf_geometry {
  rf_point low, high; /**< the axes */
  rf_point from[ROOF_SCENE_ROOFS], to[ROOF_SCENE_ROOFS];
  rf_point ridges[ROOF_SCENE_SERIES]; /**< highest roof on the outermost ramp; NaN: none */
  double ceilings[ROOF_SCENE_DOTS];   /**< over each dot: its own, else the lower of those two; NaN: none */
  bool above[ROOF_SCENE_DOTS];        /**< true if the dot is above `ceiling` */
} rf_geometry;

/** Lays out the plane. Fails for a scene without roofs. */
roof_status rf_geometry_make(const roof_scene *scene, rf_geometry *geometry, roof_error *error);

/** Whether a series has a memory ramp of its own. */
bool rf_scene_has_ramp(const roof_scene *scene, int series);

/** The series whose ramps a series is under: its own, else, where it is one more format of a machine, the first. */
int rf_scene_ramps(const roof_scene *scene, int series);

/** The ramp of measured memory that stands for all of its mixes gives way to that of the work, at whose ridge the work is. */
void rf_scene_heed_mix(roof_scene *scene, int series, const roof_target *target, const roof_work *work);

/** Titles the scene by its machines and the formats of the peaks drawn, also of those that kernels add later;
 * `dtype` where none is. */
void rf_scene_title(roof_scene *scene, const char *machines, roof_dtype dtype);

/** Decades between two labels, chosen so that a range has at most `most` labels. */
int rf_axis_step(double low, double high, int most);

/** The label of 10^exponent: "100", "1e6", "10 TFLOP/s"; `unit` "" for a plain number. */
void rf_axis_label(char *buffer, size_t size, int exponent, const char *unit);

/** A number to four digits. */
void rf_axis_number(char *buffer, size_t size, double value);

/** The description that `roof_draw_*` writes for a scene that has none. */
void rf_scene_describe(const roof_scene *scene, roof_text *out);

#endif
