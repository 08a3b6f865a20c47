/* PATH behind the contract: how a closed solver with a C interface becomes a plugin, for problems of the class Mlcp.
 *
 * PATH (Dirkse, Ferris 1995; Ferris, Munson 2000) finds z with F(z) >= 0 where z = l, F(z) <= 0 where z = u and F(z) = 0 between, by a
 * generalised Newton method on its normal map. Here F(z) = M z + q.
 *
 * The library, libpath52.so, is loaded when an instance is made, from where the loader finds it (LD_LIBRARY_PATH, which workers are
 * given). The Python package gamspy_base carries one. Without a licence PATH takes 300 unknowns and 2000 entries; what is
 * larger is refused. Names and layouts below are those of PATH's C interface, as PATHSolver.jl (MIT) documents them.
 *
 * PATH keeps its options and its output in globals: one solve at a time in a process. */

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "../vinci_helpers.h"

/* PATH's infinity. */
#define PATH_INFINITY 1e20
/* The residual asked of PATH, as a part of the host's tolerance: its norm is another one. */
#define PART 1e-2
/* Least residual that is asked of PATH. */
#define LEAST 1e-13

enum { PATH_SOLVED = 1, PATH_MAJOR_LIMIT = 3, PATH_MINOR_LIMIT = 4, PATH_TIME_LIMIT = 5 };

typedef struct PathInterface {
    void *data;
    void (*problem_size)(void *data, int *n, int *nnz);
    void (*bounds)(void *data, int n, double *z, double *lower, double *upper);
    int (*function)(void *data, int n, double *z, double *f);
    int (*jacobian)(void *data, int n, double *z, int want_f, double *f, int *nnz, int *start, int *length, int *row, double *value);
    void *hessian, *begin, *finish, *variable_name, *constraint_name, *basis;
} PathInterface;

/* What PATH tells of a solve. Its flags are bytes or integers, by how it was built: no flag is used, and there is memory for both. */
typedef struct PathInformation {
    double residual, distance, step_length, total_time, basis_time, largest_distance;
    int major, minor, crash, functions, jacobians, gradient_steps, restarts, generate_output, generated_output;
    int flags[8];
} PathInformation;

typedef struct PathOutput {
    void *data;
    void (*print)(void *data, int mode, char *text);
    void (*flush)(void *data, int mode);
} PathOutput;

/* Functions of the library. */
typedef struct Path {
    void *library;
    void *(*options_create)(void);
    void (*options_destroy)(void *options);
    void (*options_default)(void *options);
    void (*options_set_double)(void *options, const char *name, double value);
    void (*options_set_int)(void *options, const char *name, int value);
    void (*add_options)(void *options);
    void *(*mcp_create)(int n, int nnz);
    void (*mcp_destroy)(void *mcp);
    void (*set_interface)(void *mcp, PathInterface *interface);
    void (*structure_constant)(void *mcp, int is);
    void (*data_contiguous)(void *mcp, int is);
    double *(*get_x)(void *mcp);
    int (*check_licence)(int n, int nnz);
    int (*solve)(void *mcp, PathInformation *information);
    void (*set_output)(PathOutput *output);
} Path;

typedef struct Instance {
    Path path;
    int max_iterations;
    double *z;      /* the answer, n */
    /* M by columns, counted from 1. */
    int *start, *length, *row;
    double *value;
    size_t columns_room, entries_room;
} Instance;

/* A problem as PATH's callbacks see it. */
typedef struct Data {
    size_t n, nnz;
    VinciChannel m;
    const double *q, *lower, *upper, *guess;
    Instance *instance;
} Data;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void say_nothing(void *data, int mode, char *text) {
    (void)data;
    (void)mode;
    (void)text;
}

static PathOutput silent = {.data = NULL, .print = say_nothing, .flush = NULL};

/* A function of the library by its name; dlsym gives a pointer to data, which C does not cast to one to a function. */
static int find(void *library, const char *name, void *into) {
    void *found = dlsym(library, name);
    memcpy(into, &found, sizeof found);
    return found != NULL;
}

static int find_all(Path *p) {
    void *l = p->library;
    return find(l, "Options_Create", &p->options_create) && find(l, "Options_Destroy", &p->options_destroy) &&
           find(l, "Options_Default", &p->options_default) && find(l, "Options_SetDouble", &p->options_set_double) &&
           find(l, "Options_SetInt", &p->options_set_int) && find(l, "Path_AddOptions", &p->add_options) &&
           find(l, "MCP_Create", &p->mcp_create) && find(l, "MCP_Destroy", &p->mcp_destroy) &&
           find(l, "MCP_SetInterface", &p->set_interface) && find(l, "MCP_GetX", &p->get_x) &&
           find(l, "MCP_Jacobian_Structure_Constant", &p->structure_constant) &&
           find(l, "MCP_Jacobian_Data_Contiguous", &p->data_contiguous) &&
           find(l, "Path_CheckLicense", &p->check_licence) && find(l, "Path_Solve", &p->solve) &&
           find(l, "Output_SetInterface", &p->set_output);
}

static int32_t destroy(void *instance, VinciErrorText *error) {
    Instance *self = instance;
    (void)error;
    free(self->z);
    free(self->start);
    free(self->length);
    free(self->row);
    free(self->value);
    /* The library stays loaded: it has threads and globals of its own. */
    free(self);
    return VINCI_OK;
}

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    Instance *self = calloc(1, sizeof *self);
    (void)system;
    if (self == NULL) {
        vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
        return NULL;
    }
    self->max_iterations = (int)vinci_option_number(options, "max_iterations", 500.0);
    self->path.library = dlopen("libpath52.so", RTLD_NOW | RTLD_LOCAL);
    if (self->path.library == NULL || !find_all(&self->path)) {
        vinci_refuse(error, VINCI_KIND_OTHER,
                     "PATH's library, libpath52.so, was not found: name its folder in the variable LD_LIBRARY_PATH (the Python package "
                     "gamspy_base carries one)");
        destroy(self, NULL);
        return NULL;
    }
    return self;
}

static void problem_size(void *data, int *n, int *nnz) {
    const Data *d = data;
    *n = (int)d->n;
    *nnz = (int)d->nnz;
}

static void bounds(void *data, int n, double *z, double *lower, double *upper) {
    const Data *d = data;
    for (int i = 0; i < n; ++i) {
        lower[i] = fmax(d->lower[i], -PATH_INFINITY);
        upper[i] = fmin(d->upper[i], PATH_INFINITY);
        z[i] = vinci_clamp(d->guess != NULL ? d->guess[i] : 0.0, d->lower[i], d->upper[i]);
    }
}

/* F_i = (M z + q)_i. */
static double row_rate(const Data *d, const double *z, size_t i) {
    return vinci_row_rate(&d->m, d->q, z, i);
}

/* Callbacks give the number of errors of the domain: a linear function has none. */
static int function(void *data, int n, double *z, double *f) {
    for (int i = 0; i < n; ++i) f[i] = row_rate(data, z, (size_t)i);
    return 0;
}

static int jacobian(void *data, int n, double *z, int want_f, double *f, int *nnz, int *start, int *length, int *row, double *value) {
    const Data *d = data;
    const Instance *self = d->instance;
    if (want_f) function(data, n, z, f);
    memcpy(start, self->start, d->n * sizeof *start);
    memcpy(length, self->length, d->n * sizeof *length);
    memcpy(row, self->row, d->nnz * sizeof *row);
    memcpy(value, self->value, d->nnz * sizeof *value);
    *nnz = (int)d->nnz;
    return 0;
}

/* Memory for a problem: grows, never shrinks. */
static int make_room(Instance *self, size_t n, size_t nnz) {
    if (n + 1 > self->columns_room) {
        double *z = realloc(self->z, (n + 1) * sizeof *z);
        int *start = realloc(self->start, (n + 1) * sizeof *start), *length = realloc(self->length, (n + 1) * sizeof *length);
        if (z != NULL) self->z = z;
        if (start != NULL) self->start = start;
        if (length != NULL) self->length = length;
        if (z == NULL || start == NULL || length == NULL) return 0;
        self->columns_room = n + 1;
    }
    if (nnz + 1 > self->entries_room) {
        int *row = realloc(self->row, (nnz + 1) * sizeof *row);
        double *value = realloc(self->value, (nnz + 1) * sizeof *value);
        if (row != NULL) self->row = row;
        if (value != NULL) self->value = value;
        if (row == NULL || value == NULL) return 0;
        self->entries_room = nnz + 1;
    }
    return 1;
}

/* M by columns from M by rows, counted from 1. */
static void turn(Instance *self, const Data *d) {
    int at = 1;
    memset(self->length, 0, d->n * sizeof *self->length);
    for (size_t e = 0; e < d->nnz; ++e) ++self->length[d->m.j.ptr[e]];
    for (size_t j = 0; j < d->n; ++j) {
        self->start[j] = at;
        at += self->length[j];
        self->length[j] = 0;
    }
    for (size_t i = 0; i < d->n; ++i)
        for (uint32_t e = d->m.i.ptr[i]; e < d->m.i.ptr[i + 1]; ++e) {
            const uint32_t j = d->m.j.ptr[e];
            const int place = self->start[j] - 1 + self->length[j]++;
            self->row[place] = (int)i + 1;
            self->value[place] = d->m.f.ptr[e];
        }
}

/* What residuals are relative to: the largest |q| or bound away from 0. */
static double scale_of(const Data *d) {
    const double scale = vinci_size(d->n, d->q, d->lower, d->upper);
    return scale > 0.0 ? scale : 1.0;
}

/* The largest |z - P(z - F(z))|, P onto the bounds. */
static double natural_map(const Data *d, const double *z) {
    double worst = 0.0;
    for (size_t i = 0; i < d->n; ++i) {
        const double off = fabs(z[i] - vinci_clamp(z[i] - row_rate(d, z, i), d->lower[i], d->upper[i]));
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

/* One solve by PATH, which gives the code of its end. */
static int ask(Instance *self, Data *d, double accuracy, PathInformation *told) {
    Path *path = &self->path;
    PathInterface interface = {.data = d, .problem_size = problem_size, .bounds = bounds, .function = function, .jacobian = jacobian};
    void *options = path->options_create(), *mcp;
    int end;
    path->set_output(&silent);
    path->add_options(options);
    path->options_default(options);
    path->options_set_double(options, "convergence_tolerance", accuracy);
    path->options_set_int(options, "major_iteration_limit", self->max_iterations);
    mcp = path->mcp_create((int)d->n, (int)(d->nnz > 0 ? d->nnz : 1));
    path->structure_constant(mcp, 1);
    path->data_contiguous(mcp, 1);
    path->set_interface(mcp, &interface);
    end = path->solve(mcp, told);
    memcpy(self->z, path->get_x(mcp), d->n * sizeof *self->z);
    path->mcp_destroy(mcp);
    path->options_destroy(options);
    return end;
}

/* The status that an answer deserves: PATH's word counts for nothing beside the residual. */
static uint32_t status_of(int end, double left, double tolerance) {
    if (left <= tolerance) return VINCI_STATUS_CONVERGED;
    if (end == PATH_MAJOR_LIMIT || end == PATH_MINOR_LIMIT) return VINCI_STATUS_MAX_ITERATIONS;
    return end == PATH_TIME_LIMIT ? VINCI_STATUS_TIME_LIMIT : VINCI_STATUS_NUMERICAL_FAILURE;
}

static int32_t solve(void *instance, const VinciProblemView *p, VinciSolutionView *out, VinciErrorText *error) {
    Instance *self = instance;
    PathInformation told;
    Data d;
    double scale;
    int end = PATH_SOLVED;
    if (p->class_ != VINCI_CLASS_MLCP)
        return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "only problems of the class Mlcp are taken");
    memset(&d, 0, sizeof d);
    memset(&told, 0, sizeof told);
    d.n = p->n;
    d.m = vinci_channel(p, VINCI_CHANNEL_M);
    d.nnz = d.m.f.len;
    d.q = vinci_channel(p, VINCI_CHANNEL_Q).f.ptr;
    d.lower = vinci_channel(p, VINCI_CHANNEL_LOWER).f.ptr;
    d.upper = vinci_channel(p, VINCI_CHANNEL_UPPER).f.ptr;
    if (vinci_channel(p, VINCI_CHANNEL_GUESS).f.len == d.n) d.guess = vinci_channel(p, VINCI_CHANNEL_GUESS).f.ptr;
    d.instance = self;
    if (d.n > 1000000 || d.nnz > 100000000 || !self->path.check_licence((int)d.n, (int)d.nnz))
        return vinci_refuse(error, VINCI_KIND_UNSUPPORTED,
                            "PATH has no licence for a problem of this size (without one: 300 unknowns, 2000 entries of M); its "
                            "variable is PATH_LICENSE_STRING");
    if (!make_room(self, d.n, d.nnz)) return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this problem");
    turn(self, &d);
    scale = scale_of(&d);
    if (d.n > 0) {
        pthread_mutex_lock(&one_at_a_time);
        end = ask(self, &d, fmax(PART * p->tolerance * scale, LEAST * scale), &told);
        pthread_mutex_unlock(&one_at_a_time);
    }
    for (size_t i = 0; i < d.n; ++i) self->z[i] = isfinite(self->z[i]) ? vinci_clamp(self->z[i], d.lower[i], d.upper[i]) : 0.0;
    out->status.code = status_of(end, natural_map(&d, self->z) / scale, p->tolerance);
    out->iterations = (uint32_t)(told.major > 0 ? told.major : 0);
    out->factorizations = (uint32_t)(told.jacobians > 0 ? told.jacobians : 0);
    out->z = vinci_numbers(self->z, d.n);
    return VINCI_OK;
}

static VinciText manifest(void) {
    return vinci_text(
        "[{\"id\": \"example.solver.path\", \"role\": \"solver\", \"version\": \"0.1.0\","
        " \"title\": \"PATH, where its library is\", \"licence\": \"MIT OR Apache-2.0\","
        " \"classes\": [\"Mlcp\"], \"deterministic\": true,"
        " \"options\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
        "\"max_iterations\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1000000, \"default\": 500, \"x-vinci-budget\": true,"
        " \"description\": \"Major iterations at most.\"}}}}]");
}

static const VinciSolverV1 solver = {
    .size = sizeof(VinciSolverV1), .create = create, .destroy = destroy, .solve = solve};

const VinciPluginV1 vinci_plugin_v1 = {
    .size = sizeof(VinciPluginV1), .contract = VINCI_CONTRACT_VERSION, .manifest = manifest, .solver = &solver};
