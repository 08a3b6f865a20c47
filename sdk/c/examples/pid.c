/* A controller in C: proportional, integral and derivative action towards references, degree of freedom by degree of freedom.
 *
 * tau = kp e + ki (integral of e dt) + kd de/dt, asked at grid times and held between them. The integral is its memory: bytes that the
 * host saves and restores. */

#include "../vinci_helpers.h"

/* First bytes of a state, so that those of others are refused. */
static const char MARK[8] = {'p', 'i', 'd', '-', 'i', 'n', '-', 'c'};

typedef struct Pid {
    double kp, kd, ki;
    size_t m;              /* number of efforts */
    uint32_t *coordinate;  /* where the coordinate of every effort stands in q, m */
    uint32_t *velocity;    /* and its velocity in v, m */
    double *integral;      /* ki times the integral of the error, m */
    double *effort;        /* the answer, m */
    uint8_t *bytes;        /* the state: MARK, then the integrals */
} Pid;

static int32_t destroy(void *instance, VinciErrorText *error) {
    Pid *self = instance;
    (void)error;
    free(self->coordinate);
    free(self->velocity);
    free(self->integral);
    free(self->effort);
    free(self->bytes);
    free(self);
    return VINCI_OK;
}

static size_t state_len(const Pid *self) { return sizeof MARK + self->m * sizeof(double); }

static int make_room(Pid *self) {
    const size_t m = self->m > 0 ? self->m : 1;
    self->coordinate = calloc(m, sizeof *self->coordinate);
    self->velocity = calloc(m, sizeof *self->velocity);
    self->integral = calloc(m, sizeof *self->integral);
    self->effort = calloc(m, sizeof *self->effort);
    self->bytes = calloc(1, state_len(self));
    return self->coordinate != NULL && self->velocity != NULL && self->integral != NULL && self->effort != NULL &&
           self->bytes != NULL;
}

/* The places of the efforts; VINCI_REFUSED where one has no coordinate. */
static int32_t find_places(Pid *self, const VinciSystemView *system, VinciErrorText *error) {
    for (size_t i = 0; i < self->m; ++i) {
        self->velocity[i] = system->efforts.ptr[i];
        self->coordinate[i] = system->dof_coordinate.ptr[self->velocity[i]];
        if (self->coordinate[i] == VINCI_NO_COORDINATE)
            return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "rotations in space have no coordinate to be led by");
    }
    return VINCI_OK;
}

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    Pid *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->m = system->efforts.len;
        self->kp = vinci_option_number(options, "kp", 0.0);
        self->kd = vinci_option_number(options, "kd", 0.0);
        self->ki = vinci_option_number(options, "ki", 0.0);
    }
    if (self == NULL || !make_room(self)) {
        if (self != NULL) destroy(self, error);
        vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
        return NULL;
    }
    if (find_places(self, system, error) != VINCI_OK) {
        destroy(self, error);
        return NULL;
    }
    return self;
}

/* e and its rate; without a reference there is no error, only damping. */
static void error_of(const Pid *self, const VinciControlView *view, size_t i, double *e, double *rate) {
    const double q = view->q.ptr[self->coordinate[i]], v = view->v.ptr[self->velocity[i]];
    const int has = view->has_reference.ptr[i] != 0;
    *e = has ? view->reference.ptr[3 * i] - q : 0.0;
    *rate = has ? view->reference.ptr[3 * i + 1] - v : -v;
}

static int32_t control(void *instance, const VinciControlView *view, VinciCommands *out, VinciErrorText *error) {
    Pid *self = instance;
    (void)error;
    for (size_t i = 0; i < self->m; ++i) {
        double e, rate;
        error_of(self, view, i, &e, &rate);
        self->effort[i] = self->kp * e + self->kd * rate + self->integral[i];
        /* What is pushed now acts until the next call; the integral of this period acts from then on. */
        self->integral[i] += self->ki * view->period * e;
    }
    out->effort = vinci_numbers(self->effort, self->m);
    return VINCI_OK;
}

static int32_t save(void *instance, VinciSliceU8 *out, VinciErrorText *error) {
    Pid *self = instance;
    (void)error;
    memcpy(self->bytes, MARK, sizeof MARK);
    memcpy(self->bytes + sizeof MARK, self->integral, self->m * sizeof(double));
    out->ptr = self->bytes;
    out->len = state_len(self);
    return VINCI_OK;
}

static int32_t load(void *instance, VinciSliceU8 bytes, VinciErrorText *error) {
    Pid *self = instance;
    if (bytes.len != state_len(self) || memcmp(bytes.ptr, MARK, sizeof MARK) != 0)
        return vinci_refuse(error, VINCI_KIND_BAD_STATE, "these bytes are no state of this controller");
    memcpy(self->integral, bytes.ptr + sizeof MARK, self->m * sizeof(double));
    return VINCI_OK;
}

#define GAIN(name, text) \
    "\"" name "\": {\"type\": \"number\", \"minimum\": 0, \"default\": 0, \"description\": \"" text "\"}"

static VinciText manifest(void) {
    return vinci_text(
        "[{\"id\": \"example.controller.pid-in-c\", \"role\": \"controller\", \"version\": \"0.1.0\","
        " \"title\": \"PID towards references, in C\", \"licence\": \"MIT OR Apache-2.0\","
        " \"capabilities\": [\"efforts\"], \"deterministic\": true,"
        " \"options\": {\"type\": \"object\", \"additionalProperties\": false,"
        " \"examples\": [{\"kp\": 100, \"kd\": 20, \"ki\": 5}], \"properties\": {"
        GAIN("kp", "Stiffness, N/m or N m/rad.") ", " GAIN("kd", "Damping, N s/m or N m s/rad.") ", "
        GAIN("ki", "Gain of the integral, N/(m s) or N m/(rad s).") "}}}]");
}

static const VinciControllerV1 controller = {.size = sizeof(VinciControllerV1),
                                             .create = create,
                                             .save = save,
                                             .load = load,
                                             .destroy = destroy,
                                             .control = control};

const VinciPluginV1 vinci_plugin_v1 = {.size = sizeof(VinciPluginV1),
                                       .contract = VINCI_CONTRACT_VERSION,
                                       .manifest = manifest,
                                       .controller = &controller};
