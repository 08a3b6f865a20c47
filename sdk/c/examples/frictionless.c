/* A stepper in C: contact without friction, every step one mixed complementarity problem in (v+, p).
 *
 * M v+ = M v + h (f + bias) + Wn p,  0 <= p _|_ Wn' v+ + psi/h >= 0,  prescribed velocities as commanded. */

#include <math.h>

#include "../vinci_helpers.h"

#define N_CHANNELS 7

typedef struct Frictionless {
    double *numbers;  /* all arrays of numbers, one after another */
    uint32_t *words;  /* row offsets, columns, tags */
    uint8_t *motion;
    size_t numbers_room, words_room, motion_room;
    VinciChannel channels[N_CHANNELS];
} Frictionless;

/* The arrays of a step with nv velocities, n contacts and at most `entries` entries in the matrix. */
typedef struct Arrays {
    double *value, *q, *lower, *upper, *scale;            /* problem */
    double *v, *impulse, *effort, *normal_rate;           /* answer */
    uint32_t *row_start, *column, *tag;
} Arrays;

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    Frictionless *self = calloc(1, sizeof *self);
    (void)options, (void)system;
    if (self == NULL) vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    return self;
}

static int32_t destroy(void *instance, VinciErrorText *error) {
    Frictionless *self = instance;
    (void)error;
    free(self->numbers);
    free(self->words);
    free(self->motion);
    free(self);
    return VINCI_OK;
}

/* Memory of at least `wanted` bytes: grows, never shrinks. */
static int grow(void **memory, size_t *room, size_t wanted) {
    if (wanted <= *room) return 1;
    void *larger = realloc(*memory, wanted);
    if (larger == NULL) return 0;
    *memory = larger;
    *room = wanted;
    return 1;
}

static size_t entries_at_most(const VinciStepView *step) {
    const size_t nv = step->v.len;
    return step->mass.len + nv + 2 * step->contacts.jacobian.value.len;
}

static int make_room(Frictionless *self, const VinciStepView *step, Arrays *a) {
    const size_t nv = step->v.len, n = step->contacts.gap.len, size = nv + n, entries = entries_at_most(step);
    const size_t numbers = entries + 4 * size + 2 * nv + n * (1 + step->contacts.n_t) + n + 1;
    void *memory[3] = {self->numbers, self->words, self->motion};
    const int fine = grow(&memory[0], &self->numbers_room, numbers * sizeof(double)) &
                     grow(&memory[1], &self->words_room, (3 * size + 1 + entries) * sizeof(uint32_t)) &
                     grow(&memory[2], &self->motion_room, step->motion.len + 1);
    self->numbers = memory[0];
    self->words = memory[1];
    self->motion = memory[2];
    if (!fine) return 0;
    a->q = self->numbers;
    a->lower = a->q + size;
    a->upper = a->lower + size;
    a->scale = a->upper + size;
    a->v = a->scale + size;
    a->effort = a->v + nv;
    a->normal_rate = a->effort + nv;
    a->impulse = a->normal_rate + n;
    a->value = a->impulse + n * (1 + step->contacts.n_t);
    a->row_start = self->words;
    a->tag = a->row_start + size + 1;
    a->column = a->tag + 2 * size;
    return 1;
}

static int prescribed(const VinciStepView *step, size_t i) { return step->role.ptr[i] == VINCI_DOF_PRESCRIBED; }

/* The normal row of contact k in the contact Jacobian. */
static size_t normal_row(const VinciStepView *step, size_t k) { return k * (1 + step->contacts.n_t); }

/* The row of M of velocity i, which stands in block b: first column, length, values. */
static const double *mass_row(const VinciStepView *step, size_t i, size_t *first, size_t *length) {
    size_t at = 0, b = 0;
    for (; step->block_start.ptr[b + 1] <= i; ++b) {
        const size_t size = step->block_start.ptr[b + 1] - step->block_start.ptr[b];
        at += size * size;
    }
    *first = step->block_start.ptr[b];
    *length = step->block_start.ptr[b + 1] - *first;
    return step->mass.ptr + at + (i - *first) * *length;
}

static size_t push(Arrays *a, size_t at, size_t column, double value) {
    a->column[at] = (uint32_t)column;
    a->value[at] = value;
    return at + 1;
}

/* Row of velocity i: (M v+ - Wn p)_i - (M v + h (f + bias))_i = 0, or v_i = command. */
static size_t velocity_row(const VinciStepView *step, Arrays *a, size_t i, size_t at) {
    const VinciMatrix *w = &step->contacts.jacobian;
    size_t first, length;
    const double *mass = mass_row(step, i, &first, &length);
    if (prescribed(step, i)) {
        a->q[i] = -step->command.ptr[i];
        return push(a, at, i, 1.0);
    }
    a->q[i] = -step->h * (step->force.ptr[i] + step->bias.ptr[i]);
    for (size_t j = 0; j < length; ++j) {
        a->q[i] -= mass[j] * step->v.ptr[first + j];
        at = push(a, at, first + j, mass[j]);
    }
    for (size_t k = 0; k < step->contacts.gap.len; ++k) {
        const size_t row = normal_row(step, k);
        for (uint32_t e = w->row_start.ptr[row]; e < w->row_start.ptr[row + 1]; ++e)
            if (w->column.ptr[e] == i) at = push(a, at, step->v.len + k, -w->value.ptr[e]);
    }
    return at;
}

/* Row of contact k: 0 <= p _|_ Wn' v+ + psi/h >= 0. */
static size_t contact_row(const VinciStepView *step, Arrays *a, size_t k, size_t at) {
    const VinciMatrix *w = &step->contacts.jacobian;
    const size_t row = normal_row(step, k);
    for (uint32_t e = w->row_start.ptr[row]; e < w->row_start.ptr[row + 1]; ++e)
        at = push(a, at, w->column.ptr[e], w->value.ptr[e]);
    a->normal_rate[k] = step->contacts.gap.ptr[k] / step->h;
    a->q[step->v.len + k] = a->normal_rate[k];
    return at;
}

static VinciChannel reals(uint32_t id, const double *values, size_t n) {
    VinciChannel out;
    memset(&out, 0, sizeof out);
    out.id = id;
    out.rows = (uint32_t)n;
    out.cols = 1;
    out.f = vinci_numbers(values, n);
    return out;
}

static void hand_out(Frictionless *self, const Arrays *a, size_t size, const VinciStepView *step, VinciProblemView *out) {
    VinciChannel m = reals(VINCI_CHANNEL_M, a->value, a->row_start[size]), tag = reals(VINCI_CHANNEL_TAG, NULL, 0);
    m.rows = m.cols = (uint32_t)size;
    m.i = (VinciSliceU32){a->row_start, size + 1};
    m.j = (VinciSliceU32){a->column, a->row_start[size]};
    tag.rows = (uint32_t)size;
    tag.cols = 2;
    tag.i = (VinciSliceU32){a->tag, 2 * size};
    self->channels[0] = m;
    self->channels[1] = reals(VINCI_CHANNEL_Q, a->q, size);
    self->channels[2] = reals(VINCI_CHANNEL_LOWER, a->lower, size);
    self->channels[3] = reals(VINCI_CHANNEL_UPPER, a->upper, size);
    self->channels[4] = tag;
    self->channels[5] = reals(VINCI_CHANNEL_Z_SCALE, a->scale, size);
    self->channels[6] = reals(VINCI_CHANNEL_W_SCALE, a->scale, size);
    out->class_ = VINCI_CLASS_MLCP;
    out->n = (uint32_t)size;
    out->tolerance = step->tolerance;
    out->channels = (VinciSliceChannel){self->channels, N_CHANNELS};
}

static int32_t formulate(void *instance, const VinciStepView *step, VinciProblemView *out, VinciErrorText *error) {
    const size_t nv = step->v.len, n = step->contacts.gap.len;
    Arrays a;
    size_t at = 0;
    for (size_t b = 0; b < step->motion.len; ++b)
        if (step->motion.ptr[b] > VINCI_MOTION_DYNAMIC || step->rows.rate.len > 0)
            return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "only dynamic bodies without joints and limits");
    if (!make_room(instance, step, &a)) return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this step");
    for (size_t i = 0; i < nv + n; ++i) {
        a.row_start[i] = (uint32_t)at;
        at = i < nv ? velocity_row(step, &a, i, at) : contact_row(step, &a, i - nv, at);
        a.lower[i] = i < nv ? -INFINITY : 0.0;
        a.upper[i] = INFINITY;
        a.scale[i] = 1.0;
        a.tag[2 * i] = (uint32_t)(i < nv ? i : i - nv);
        a.tag[2 * i + 1] = i < nv ? VINCI_PART_VELOCITY : VINCI_PART_NORMAL;
    }
    a.row_start[nv + n] = (uint32_t)at;
    hand_out(instance, &a, nv + n, step, out);
    return VINCI_OK;
}

/* What is missing in the momentum balance of a prescribed velocity is the effort of its drive. */
static void efforts(const VinciStepView *step, Arrays *a, const double *p) {
    const VinciMatrix *w = &step->contacts.jacobian;
    for (size_t i = 0; i < step->v.len; ++i) {
        size_t first, length;
        const double *mass = mass_row(step, i, &first, &length);
        a->effort[i] = -step->h * (step->force.ptr[i] + step->bias.ptr[i]);
        for (size_t j = 0; j < length; ++j) a->effort[i] += mass[j] * (a->v[first + j] - step->v.ptr[first + j]);
    }
    for (size_t k = 0; k < step->contacts.gap.len; ++k) {
        const size_t row = normal_row(step, k);
        for (uint32_t e = w->row_start.ptr[row]; e < w->row_start.ptr[row + 1]; ++e)
            a->effort[w->column.ptr[e]] -= p[k] * w->value.ptr[e];
    }
    for (size_t i = 0; i < step->v.len; ++i)
        if (!prescribed(step, i)) a->effort[i] = 0.0;
}

static int32_t update(void *instance, const VinciStepView *step, const VinciSolutionView *solution, VinciUpdateView *out,
                      VinciErrorText *error) {
    Frictionless *self = instance;
    const size_t nv = step->v.len, n = step->contacts.gap.len, stride = 1 + step->contacts.n_t;
    Arrays a;
    if (solution->z.len != nv + n) return vinci_refuse(error, VINCI_KIND_BAD_INPUT, "this solves another problem");
    if (!make_room(self, step, &a)) return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this step");
    if (nv > 0) memcpy(a.v, solution->z.ptr, nv * sizeof(double));
    for (size_t k = 0; k < n * stride; ++k) a.impulse[k] = k % stride == 0 ? solution->z.ptr[nv + k / stride] : 0.0;
    efforts(step, &a, nv + n > 0 ? solution->z.ptr + nv : NULL);
    memset(self->motion, VINCI_MOTION_DYNAMIC, step->motion.len);
    out->verdict.code = VINCI_VERDICT_ACCEPT;
    out->h_used = step->h;
    out->v = vinci_numbers(a.v, nv);
    out->impulse = vinci_numbers(a.impulse, n * stride);
    out->effort = vinci_numbers(a.effort, nv);
    out->normal_rate = vinci_numbers(a.normal_rate, n);
    out->motion = (VinciSliceU8){self->motion, step->motion.len};
    return VINCI_OK;
}

static VinciText manifest(void) {
    return vinci_text(
        "[{\"id\": \"example.stepper.frictionless-in-c\", \"role\": \"stepper\", \"version\": \"0.1.0\","
        " \"title\": \"Frictionless contact at velocity level, in C\", \"licence\": \"MIT OR Apache-2.0\","
        " \"classes\": [\"Mlcp\"], \"capabilities\": [\"dynamic\"], \"deterministic\": true,"
        " \"parameters\": {\"ignores\": [\"friction\", \"restitution\", \"stiffness\", \"damping\", \"dissipation\"]},"
        " \"options\": {\"type\": \"object\", \"additionalProperties\": false}}]");
}

static const VinciStepperV1 stepper = {.size = sizeof(VinciStepperV1),
                                       .create = create,
                                       .destroy = destroy,
                                       .formulate = formulate,
                                       .update = update};

const VinciPluginV1 vinci_plugin_v1 = {
    .size = sizeof(VinciPluginV1), .contract = VINCI_CONTRACT_VERSION, .manifest = manifest, .stepper = &stepper};
