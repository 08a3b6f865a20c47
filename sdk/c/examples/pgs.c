/* Projected Gauss-Seidel in C, for problems of the classes Mlcp and Cone.
 *
 * Find z, w = M z + q with l <= z <= u perpendicular to w; contacts of class Cone obey 0 <= p_n _|_ u_n >= 0, |p_t| <= mu p_n and
 * p_t = -mu p_n u_t/|u_t| where they slide.
 *
 * Free rows F (velocities, joints) are eliminated: z_F = -M_FF^-1 (q_F + M_FC z_C). What is left is A z_C + b with
 * A = M_CC - M_CF M_FF^-1 M_FC and b = q_C - M_CF M_FF^-1 q_F. A sweep solves row after row for its own unknown and projects it:
 * z_i <- P(z_i - (A z + b)_i / A_ii), P onto the bounds of the row or onto the friction disc mu p_n of its contact.
 *
 * Everything is dense: an example to read, for some hundred rows. */

#include <math.h>

#include "../vinci_helpers.h"

typedef struct Pgs {
    uint32_t max_sweeps;
    double *memory;    /* all arrays of numbers, one after another */
    size_t room;       /* how many fit */
    uint32_t *rows;    /* order, places and marks of the rows */
    size_t rows_room;
    double *z;         /* the answer, n */
} Pgs;

/* A problem as the sweeps need it; arrays of the host and of the instance. */
typedef struct Problem {
    size_t n, nf, nc, n_blocks;
    VinciChannel m;
    const double *q, *lower, *upper, *guess;
    const uint32_t *block;  /* (normal, first tangent, tangents) of every block */
    const double *size;     /* mu of every block, or the radius of one without normal */
    double *full;           /* M_FF and [M_FC, q_F], nf x (n + 1), then the factors and M_FF^-1 [M_FC, q_F] */
    double *a, *b, *c;      /* A, nc x nc; b, nc; z_C, nc */
    double *z;
    uint32_t *order, *place; /* unknown at a place of the order F, C; place of an unknown */
    double scale, tolerance;
} Problem;

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    Pgs *self = calloc(1, sizeof *self);
    (void)system;
    if (self == NULL) {
        vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
        return NULL;
    }
    self->max_sweeps = (uint32_t)vinci_option_number(options, "max_sweeps", 20000.0);
    return self;
}

static int32_t destroy(void *instance, VinciErrorText *error) {
    Pgs *self = instance;
    (void)error;
    free(self->memory);
    free(self->rows);
    free(self);
    return VINCI_OK;
}

/* Marks the rows of blocks, counts the free rows among the others, and puts those first. */
static void sort_rows(Problem *w) {
    size_t at = 0;
    memset(w->place, 0, w->n * sizeof *w->place);
    for (size_t k = 0; k < w->n_blocks; ++k) {
        const uint32_t *block = w->block + 3 * k;
        if (block[0] != VINCI_NO_NORMAL) w->place[block[0]] = 1;
        for (uint32_t d = 0; d < block[2]; ++d) w->place[block[1] + d] = 1;
    }
    for (size_t i = 0; i < w->n; ++i)
        if (w->place[i] == 0 && w->lower[i] == -INFINITY && w->upper[i] == INFINITY) w->order[at++] = (uint32_t)i;
        else w->place[i] = 1;
    w->nf = at;
    for (size_t i = 0; i < w->n; ++i)
        if (w->place[i] == 1) w->order[at++] = (uint32_t)i;
    w->nc = w->n - w->nf;
    for (size_t k = 0; k < w->n; ++k) w->place[w->order[k]] = (uint32_t)k;
}

/* Memory for a problem: grows, never shrinks, so that later steps allocate nothing. */
static int make_room(Pgs *self, size_t n) {
    const size_t numbers = n * (n + 1) + n * n + 3 * n + 1;
    if (numbers > self->room) {
        double *memory = realloc(self->memory, numbers * sizeof *memory);
        if (memory == NULL) return 0;
        self->memory = memory;
        self->room = numbers;
    }
    if (3 * n + 1 > self->rows_room) {
        uint32_t *rows = realloc(self->rows, (3 * n + 1) * sizeof *rows);
        if (rows == NULL) return 0;
        self->rows = rows;
        self->rows_room = 3 * n + 1;
    }
    return 1;
}

static Problem problem_for(Pgs *self, const VinciProblemView *p) {
    Problem w;
    memset(&w, 0, sizeof w);
    w.n = p->n;
    w.m = vinci_channel(p, VINCI_CHANNEL_M);
    w.q = vinci_channel(p, VINCI_CHANNEL_Q).f.ptr;
    w.lower = vinci_channel(p, VINCI_CHANNEL_LOWER).f.ptr;
    w.upper = vinci_channel(p, VINCI_CHANNEL_UPPER).f.ptr;
    if (vinci_channel(p, VINCI_CHANNEL_GUESS).f.len == w.n) w.guess = vinci_channel(p, VINCI_CHANNEL_GUESS).f.ptr;
    w.block = vinci_channel(p, VINCI_CHANNEL_BLOCK_INDEX).i.ptr;
    w.size = vinci_channel(p, VINCI_CHANNEL_BLOCK_SIZE).f.ptr;
    w.n_blocks = vinci_channel(p, VINCI_CHANNEL_BLOCK_SIZE).f.len;
    w.z = self->memory;
    w.c = w.z + w.n;
    w.b = w.c + w.n;
    w.a = w.b + w.n;
    w.full = w.a + w.n * w.n;
    w.order = self->rows;
    w.place = self->rows + w.n;
    w.tolerance = p->tolerance;
    self->z = w.z;
    return w;
}

/* Writes [M_FF, M_FC, q_F] into `full` and M_CC, q_C into A, b. */
static void gather(Problem *w) {
    const size_t width = w->n + 1;
    memset(w->full, 0, w->nf * width * sizeof(double));
    memset(w->a, 0, w->nc * w->nc * sizeof(double));
    for (size_t k = 0; k < w->n; ++k) {
        const uint32_t i = w->order[k];
        for (uint32_t e = w->m.i.ptr[i]; e < w->m.i.ptr[i + 1]; ++e) {
            const size_t j = w->place[w->m.j.ptr[e]];
            if (k < w->nf) w->full[k * width + j] += w->m.f.ptr[e];
            else if (j >= w->nf) w->a[(k - w->nf) * w->nc + j - w->nf] += w->m.f.ptr[e];
        }
        if (k < w->nf) w->full[k * width + w->n] = w->q[i];
        else w->b[k - w->nf] = w->q[i];
    }
}

static void swap_rows(double *x, double *y, size_t n) {
    for (size_t j = 0; j < n; ++j) {
        const double kept = x[j];
        x[j] = y[j];
        y[j] = kept;
    }
}

/* Gauss-Jordan with row pivots: [M_FF, M_FC, q_F] becomes [I, M_FF^-1 M_FC, M_FF^-1 q_F]. 0 where M_FF is singular. */
static int eliminate(Problem *w) {
    const size_t width = w->n + 1;
    for (size_t k = 0; k < w->nf; ++k) {
        size_t best = k;
        for (size_t i = k + 1; i < w->nf; ++i)
            if (fabs(w->full[i * width + k]) > fabs(w->full[best * width + k])) best = i;
        double *row = w->full + k * width;
        if (best != k) swap_rows(row, w->full + best * width, width);
        const double pivot = row[k];
        if (!(fabs(pivot) > 1e-13)) return 0;
        for (size_t j = k; j < width; ++j) row[j] /= pivot;
        for (size_t i = 0; i < w->nf; ++i) {
            double *other = w->full + i * width;
            const double factor = other[k];
            if (i == k || factor == 0.0) continue;
            for (size_t j = k; j < width; ++j) other[j] -= factor * row[j];
        }
    }
    return 1;
}

/* A = M_CC - M_CF (M_FF^-1 M_FC), b = q_C - M_CF (M_FF^-1 q_F). */
static void reduce(Problem *w) {
    const size_t width = w->n + 1;
    for (size_t k = 0; k < w->nc; ++k) {
        const uint32_t i = w->order[w->nf + k];
        for (uint32_t e = w->m.i.ptr[i]; e < w->m.i.ptr[i + 1]; ++e) {
            const size_t f = w->place[w->m.j.ptr[e]];
            if (f >= w->nf) continue;
            const double *solved = w->full + f * width, m = w->m.f.ptr[e];
            for (size_t j = 0; j < w->nc; ++j) w->a[k * w->nc + j] -= m * solved[w->nf + j];
            w->b[k] -= m * solved[w->n];
        }
    }
}

/* z of all rows from z_C. */
static void complete(Problem *w) {
    const size_t width = w->n + 1;
    for (size_t k = 0; k < w->nc; ++k) w->z[w->order[w->nf + k]] = w->c[k];
    for (size_t k = 0; k < w->nf; ++k) {
        const double *row = w->full + k * width;
        double sum = row[w->n];
        for (size_t j = 0; j < w->nc; ++j) sum += row[w->nf + j] * w->c[j];
        w->z[w->order[k]] = -sum;
    }
}

/* (A z + b)_k. */
static double rate(const Problem *w, size_t k) {
    double sum = w->b[k];
    for (size_t j = 0; j < w->nc; ++j) sum += w->a[k * w->nc + j] * w->c[j];
    return sum;
}

/* The friction of a block: the tangents together, onto the disc. */
static int sweep_tangents(Problem *w, const uint32_t *block, double radius) {
    const size_t t = w->place[block[1]] - w->nf;
    const size_t dim = block[2];
    double x[2] = {0.0, 0.0}, largest = 0.0;
    for (size_t d = 0; d < dim; ++d) largest = fmax(largest, w->a[(t + d) * (w->nc + 1)]);
    if (!(largest > 0.0)) return 0;
    for (size_t d = 0; d < dim; ++d) x[d] = w->c[t + d] - rate(w, t + d) / largest;
    const double length = hypot(x[0], x[1]);
    const double shrink = length > radius ? radius / length : 1.0;
    for (size_t d = 0; d < dim; ++d) w->c[t + d] = x[d] * shrink;
    return 1;
}

/* One sweep; 0 where a row has no positive diagonal. */
static int sweep(Problem *w, const uint8_t *in_block) {
    for (size_t k = 0; k < w->nc; ++k) {
        const uint32_t i = w->order[w->nf + k];
        const double diagonal = w->a[k * (w->nc + 1)];
        if (in_block[k]) continue;
        if (w->lower[i] < w->upper[i] && !(diagonal > 0.0)) return 0;
        const double step = w->lower[i] < w->upper[i] ? rate(w, k) / diagonal : 0.0;
        w->c[k] = vinci_clamp(w->c[k] - step, w->lower[i], w->upper[i]);
    }
    for (size_t k = 0; k < w->n_blocks; ++k) {
        const uint32_t *block = w->block + 3 * k;
        double radius = w->size[k];
        if (block[0] != VINCI_NO_NORMAL) {
            const size_t n = w->place[block[0]] - w->nf;
            if (!(w->a[n * (w->nc + 1)] > 0.0)) return 0;
            w->c[n] = fmax(0.0, w->c[n] - rate(w, n) / w->a[n * (w->nc + 1)]);
            radius *= w->c[n];
        }
        if (!sweep_tangents(w, block, radius)) return 0;
    }
    return 1;
}

/* w_i = (M z + q)_i of the problem as it was given. */
static double row_rate(const Problem *w, uint32_t i) {
    return vinci_row_rate(&w->m, w->q, w->z, i);
}

/* |p - P_K(p - u - mu |u_t| e_n)| of a block, K the friction cone; |p_t - P_disc(p_t - u_t)| without a normal row. */
static double block_residual(const Problem *w, const uint32_t *block, double size) {
    double p[2] = {0.0, 0.0}, x[2] = {0.0, 0.0};
    double slip = 0.0;
    for (uint32_t d = 0; d < block[2]; ++d) {
        const double u = row_rate(w, block[1] + d);
        p[d] = w->z[block[1] + d];
        x[d] = p[d] - u;
        slip = hypot(slip, u);
    }
    const double length = hypot(x[0], x[1]);
    double normal = 0.0, kept = length > size ? size / length : 1.0, off = 0.0;
    if (block[0] != VINCI_NO_NORMAL) {
        const double p_n = w->z[block[0]], n = p_n - row_rate(w, block[0]) - size * slip;
        const int inside = n >= 0.0 && length <= size * n, polar = size * length <= -n;
        normal = inside ? n : polar ? 0.0 : (n + size * length) / (1.0 + size * size);
        kept = inside ? 1.0 : polar ? 0.0 : size * normal / length;
        off = p_n - normal;
    }
    return hypot(off, hypot(p[0] - kept * x[0], p[1] - kept * x[1]));
}

/* The residual the host judges by: relative natural map. */
static double residual(const Problem *w, const uint8_t *in_block) {
    double worst = 0.0;
    for (size_t k = 0; k < w->n; ++k) {
        const uint32_t i = w->order[k];
        if (k >= w->nf && in_block[k - w->nf]) continue;
        const double off = fabs(w->z[i] - vinci_clamp(w->z[i] - row_rate(w, i), w->lower[i], w->upper[i]));
        if (!(off <= worst)) worst = off;
    }
    for (size_t k = 0; k < w->n_blocks; ++k) {
        const double off = block_residual(w, w->block + 3 * k, w->size[k]);
        if (!(off <= worst)) worst = off;
    }
    return worst / w->scale;
}

/* What residuals are relative to: the largest |q|, bound away from 0 (Mlcp) or radius of a disc (Cone). */
static double scale_of(const Problem *w, int is_cone) {
    double scale = vinci_size(w->n, w->q, is_cone ? NULL : w->lower, w->upper);
    for (size_t k = 0; k < w->n_blocks; ++k)
        if (w->block[3 * k] == VINCI_NO_NORMAL) scale = fmax(scale, w->size[k]);
    return scale > 0.0 ? scale : 1.0;
}

static void start(Problem *w, uint8_t *in_block) {
    memset(in_block, 0, w->nc);
    for (size_t k = 0; k < w->nc; ++k) {
        const uint32_t i = w->order[w->nf + k];
        w->c[k] = vinci_clamp(w->guess != NULL ? w->guess[i] : 0.0, w->lower[i], w->upper[i]);
    }
    for (size_t k = 0; k < w->n_blocks; ++k) {
        const uint32_t *block = w->block + 3 * k;
        if (block[0] != VINCI_NO_NORMAL) in_block[w->place[block[0]] - w->nf] = 1;
        for (uint32_t d = 0; d < block[2]; ++d) in_block[w->place[block[1] + d] - w->nf] = 1;
    }
}

/* Sweeps until the residual is small enough; gives the status that the answer deserves. */
static uint32_t iterate(Problem *w, uint8_t *in_block, uint32_t max_sweeps, uint32_t *sweeps) {
    start(w, in_block);
    for (*sweeps = 0; *sweeps <= max_sweeps; ++*sweeps) {
        complete(w);
        const double left = residual(w, in_block);
        if (left <= w->tolerance) return VINCI_STATUS_CONVERGED;
        if (!isfinite(left) || *sweeps == max_sweeps) break;
        if (!sweep(w, in_block)) return VINCI_STATUS_NUMERICAL_FAILURE;
    }
    return *sweeps == max_sweeps ? VINCI_STATUS_MAX_ITERATIONS : VINCI_STATUS_NUMERICAL_FAILURE;
}

static int32_t solve(void *instance, const VinciProblemView *p, VinciSolutionView *out, VinciErrorText *error) {
    Pgs *self = instance;
    if (p->class_ != VINCI_CLASS_MLCP && p->class_ != VINCI_CLASS_CONE)
        return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "only problems of the classes Mlcp and Cone are taken");
    if (!make_room(self, p->n)) return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this problem");
    Problem w = problem_for(self, p);
    sort_rows(&w);
    gather(&w);
    w.scale = scale_of(&w, p->class_ == VINCI_CLASS_CONE);
    memset(w.z, 0, w.n * sizeof *w.z);
    out->status.code = VINCI_STATUS_NUMERICAL_FAILURE;
    if (eliminate(&w)) {
        reduce(&w);
        out->status.code = iterate(&w, (uint8_t *)(self->rows + 2 * w.n), self->max_sweeps, &out->iterations);
    }
    for (size_t i = 0; i < w.n; ++i)
        if (!isfinite(w.z[i])) w.z[i] = 0.0;
    out->factorizations = 1;
    out->z = vinci_numbers(w.z, w.n);
    return VINCI_OK;
}

static VinciText manifest(void) {
    return vinci_text(
        "[{\"id\": \"example.solver.pgs-in-c\", \"role\": \"solver\", \"version\": \"0.1.0\","
        " \"title\": \"Projected Gauss-Seidel in C\", \"licence\": \"MIT OR Apache-2.0\","
        " \"classes\": [\"Mlcp\", \"Cone\"], \"deterministic\": true,"
        " \"options\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
        "\"max_sweeps\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 10000000, \"default\": 20000,"
        " \"x-vinci-budget\": true, \"description\": \"Sweeps at most.\"}}}}]");
}

static const VinciSolverV1 solver = {
    .size = sizeof(VinciSolverV1), .create = create, .destroy = destroy, .solve = solve};

const VinciPluginV1 vinci_plugin_v1 = {
    .size = sizeof(VinciPluginV1), .contract = VINCI_CONTRACT_VERSION, .manifest = manifest, .solver = &solver};
