/* A detector in C: discs against discs and half-planes, every pair of shapes looked at.
 *
 * The gap of two discs is |c_B - c_A| - r_A - r_B, that of a disc over a half-plane n . (c_B - a) - r_B. */

#include <math.h>
#include <stdio.h>

#include "../vinci_helpers.h"

/* A shape as it is needed; a half-plane has radius 0. */
typedef struct Round {
    uint32_t body;
    int is_plane;
    double pose[3], radius;
} Round;

typedef struct Discs {
    Round *shapes;
    uint32_t *pairs; /* shape A, shape B of every pair that may touch; a half-plane is A */
    size_t n_pairs;
    VinciKey *key; /* the answer, room for all pairs */
    double *gap, *normal, *point_a, *point_b;
} Discs;

static int32_t destroy(void *instance, VinciErrorText *error) {
    Discs *self = instance;
    (void)error;
    free(self->shapes);
    free(self->pairs);
    free(self->key);
    free(self->gap);
    free(self);
    return VINCI_OK;
}

static int32_t read_shape(Round *out, const VinciShapeView *shape, size_t index, VinciErrorText *error) {
    char text[96];
    if (shape->kind != VINCI_SHAPE_DISC && shape->kind != VINCI_SHAPE_HALF_PLANE) {
        snprintf(text, sizeof text, "shape %zu is of kind %u; discs and half-planes are known", index, shape->kind);
        return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, text);
    }
    out->is_plane = shape->kind == VINCI_SHAPE_HALF_PLANE;
    out->body = shape->body;
    memcpy(out->pose, shape->pose.ptr, sizeof out->pose);
    if (out->is_plane) return VINCI_OK;
    if (shape->params.len != 1 || !(shape->params.ptr[0] > 0.0) || !isfinite(shape->params.ptr[0]))
        return vinci_refuse(error, VINCI_KIND_BAD_INPUT, "the radius of a disc must be positive and finite");
    out->radius = shape->params.ptr[0];
    return VINCI_OK;
}

/* Whether contacts of two bodies are wanted: different, not both static, not ignored. */
static int may_touch(const VinciSystemView *system, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (a == b || (system->is_static.ptr[a] && system->is_static.ptr[b])) return 0;
    for (size_t k = 0; k + 1 < system->ignored_pairs.len; k += 2)
        if (system->ignored_pairs.ptr[k] == low && system->ignored_pairs.ptr[k + 1] == high) return 0;
    return 1;
}

static void add_pairs(Discs *self, const VinciSystemView *system, uint32_t j) {
    for (uint32_t i = 0; i < j; ++i) {
        const Round *a = &self->shapes[i], *b = &self->shapes[j];
        if ((a->is_plane && b->is_plane) || !may_touch(system, a->body, b->body)) continue;
        uint32_t *pair = self->pairs + 2 * self->n_pairs++;
        pair[0] = b->is_plane ? j : i;
        pair[1] = b->is_plane ? i : j;
    }
}

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    const size_t n = system->shapes.len, pairs = n * n / 2 + 1;
    Discs *self = calloc(1, sizeof *self);
    (void)options;
    if (self == NULL) return NULL;
    self->shapes = calloc(n + 1, sizeof *self->shapes);
    self->pairs = calloc(2 * pairs, sizeof *self->pairs);
    self->key = calloc(pairs, sizeof *self->key);
    self->gap = calloc(10 * pairs, sizeof *self->gap);
    int32_t code = VINCI_OK;
    if (self->shapes == NULL || self->pairs == NULL || self->key == NULL || self->gap == NULL)
        code = vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    for (size_t j = 0; j < n && code == VINCI_OK; ++j) {
        code = read_shape(&self->shapes[j], &system->shapes.ptr[j], j, error);
        if (code == VINCI_OK) add_pairs(self, system, (uint32_t)j);
    }
    if (code != VINCI_OK) {
        destroy(self, NULL);
        return NULL;
    }
    self->normal = self->gap + pairs;
    self->point_a = self->normal + 3 * pairs;
    self->point_b = self->point_a + 3 * pairs;
    return self;
}

/* Centre of a shape, or a point of the edge of a half-plane, and its local +y, world frame. */
static void place(const Round *shape, const double *poses, double centre[2], double up[2]) {
    const double *at = poses + 3 * shape->body;
    const double s = sin(at[2]), c = cos(at[2]), angle = at[2] + shape->pose[2];
    centre[0] = at[0] + c * shape->pose[0] - s * shape->pose[1];
    centre[1] = at[1] + s * shape->pose[0] + c * shape->pose[1];
    up[0] = -sin(angle);
    up[1] = cos(angle);
}

/* Writes the contact of a pair as number k; gives its gap. */
static double measure(Discs *self, const uint32_t *pair, const double *poses, size_t k) {
    const Round *a = &self->shapes[pair[0]], *b = &self->shapes[pair[1]];
    double ca[2], cb[2], up[2], unused[2];
    place(a, poses, ca, up);
    place(b, poses, cb, unused);
    const double d[2] = {cb[0] - ca[0], cb[1] - ca[1]}, length = hypot(d[0], d[1]);
    const int along = !a->is_plane && length > 0.0;
    const double n[2] = {along ? d[0] / length : up[0], along ? d[1] / length : up[1]};
    const double gap = n[0] * d[0] + n[1] * d[1] - a->radius - b->radius;
    self->key[k] = (VinciKey){.shape_a = pair[0], .shape_b = pair[1]};
    self->gap[k] = gap;
    for (size_t i = 0; i < 2; ++i) {
        self->normal[3 * k + i] = n[i];
        self->point_a[3 * k + i] = cb[i] - (b->radius + gap) * n[i];
        self->point_b[3 * k + i] = cb[i] - b->radius * n[i];
    }
    return gap;
}

static int32_t detect(void *instance, const VinciDetectQuery *query, VinciRawContacts *out, VinciErrorText *error) {
    Discs *self = instance;
    size_t n = 0;
    (void)error;
    for (size_t k = 0; k < self->n_pairs; ++k) {
        const uint32_t *pair = self->pairs + 2 * k;
        const uint32_t a = self->shapes[pair[0]].body, b = self->shapes[pair[1]].body;
        if (measure(self, pair, query->pose.ptr, n) <= query->margin.ptr[a] + query->margin.ptr[b]) ++n;
    }
    out->key.list = (VinciSliceKey){self->key, n};
    out->gap = vinci_numbers(self->gap, n);
    out->normal = vinci_numbers(self->normal, 3 * n);
    out->point_a = vinci_numbers(self->point_a, 3 * n);
    out->point_b = vinci_numbers(self->point_b, 3 * n);
    return VINCI_OK;
}

static VinciText manifest(void) {
    return vinci_text(
        "[{\"id\": \"example.detector.discs-in-c\", \"role\": \"detector\", \"version\": \"0.1.0\","
        " \"title\": \"Discs and half-planes in C\", \"licence\": \"MIT OR Apache-2.0\","
        " \"shapes\": [\"disc\", \"half-plane\"], \"spaces\": [\"planar\"], \"deterministic\": true,"
        " \"options\": {\"type\": \"object\", \"additionalProperties\": false}}]");
}

static const VinciDetectorV1 detector = {
    .size = sizeof(VinciDetectorV1), .create = create, .destroy = destroy, .detect = detect};

const VinciPluginV1 vinci_plugin_v1 = {
    .size = sizeof(VinciPluginV1), .contract = VINCI_CONTRACT_VERSION, .manifest = manifest, .detector = &detector};
