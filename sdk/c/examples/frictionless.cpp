// A stepper in C++: contact without friction, every step one mixed complementarity problem in (v+, p).
//
// M v+ = M v + h (f + bias) + Wn p,  0 <= p _|_ Wn' v+ + psi/h >= 0,  prescribed velocities as commanded.

#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "../vinci_helpers.h"

namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

struct Frictionless {
    std::vector<uint32_t> row_start, column, tag;
    std::vector<double> value, q, lower, upper, scale;    // the problem
    std::vector<double> impulse, effort, normal_rate, v;  // the answer
    std::vector<uint8_t> motion;
    std::vector<VinciChannel> channels;

    void push(size_t j, double x) {
        column.push_back(static_cast<uint32_t>(j));
        value.push_back(x);
    }
    void end_row(double constant, double least, uint32_t subject, uint32_t part) {
        row_start.push_back(static_cast<uint32_t>(column.size()));
        q.push_back(constant);
        lower.push_back(least);
        upper.push_back(INF);
        scale.push_back(1.0);
        tag.push_back(subject);
        tag.push_back(part);
    }
};

bool prescribed(const VinciStepView &step, size_t i) { return step.role.ptr[i] == VINCI_DOF_PRESCRIBED; }

// Calls f(column, value) for the entries of the normal row of contact k.
template <typename F>
void for_normal(const VinciStepView &step, size_t k, F f) {
    const VinciMatrix &w = step.contacts.jacobian;
    const size_t row = k * (1 + step.contacts.n_t);
    for (uint32_t e = w.row_start.ptr[row]; e < w.row_start.ptr[row + 1]; ++e) f(w.column.ptr[e], w.value.ptr[e]);
}

// Calls f(column, value) for row i of M, which is one dense block after the other.
template <typename F>
void for_mass(const VinciStepView &step, size_t i, F f) {
    size_t at = 0, b = 0;
    for (; step.block_start.ptr[b + 1] <= i; ++b) {
        const size_t size = step.block_start.ptr[b + 1] - step.block_start.ptr[b];
        at += size * size;
    }
    const size_t first = step.block_start.ptr[b], size = step.block_start.ptr[b + 1] - first;
    for (size_t j = 0; j < size; ++j) f(first + j, step.mass.ptr[at + (i - first) * size + j]);
}

// Row of velocity i: (M v+ - Wn p)_i - (M v + h (f + bias))_i = 0, or v_i = command.
void velocity_row(Frictionless &self, const VinciStepView &step, size_t i) {
    const uint32_t subject = static_cast<uint32_t>(i);
    if (prescribed(step, i)) {
        self.push(i, 1.0);
        return self.end_row(-step.command.ptr[i], -INF, subject, VINCI_PART_VELOCITY);
    }
    double q = -step.h * (step.force.ptr[i] + step.bias.ptr[i]);
    for_mass(step, i, [&](size_t j, double m) {
        q -= m * step.v.ptr[j];
        self.push(j, m);
    });
    for (size_t k = 0; k < step.contacts.gap.len; ++k)
        for_normal(step, k, [&](uint32_t j, double w) {
            if (j == i) self.push(step.v.len + k, -w);
        });
    self.end_row(q, -INF, subject, VINCI_PART_VELOCITY);
}

// Row of contact k: 0 <= p _|_ Wn' v+ + psi/h >= 0.
void contact_row(Frictionless &self, const VinciStepView &step, size_t k) {
    for_normal(step, k, [&](uint32_t j, double w) { self.push(j, w); });
    self.normal_rate.push_back(step.contacts.gap.ptr[k] / step.h);
    self.end_row(self.normal_rate.back(), 0.0, static_cast<uint32_t>(k), VINCI_PART_NORMAL);
}

VinciChannel channel(uint32_t id, size_t rows, size_t cols, const std::vector<double> &numbers) {
    VinciChannel out{};
    out.id = id;
    out.rows = static_cast<uint32_t>(rows);
    out.cols = static_cast<uint32_t>(cols);
    out.f = vinci_numbers(numbers.data(), numbers.size());
    return out;
}

void hand_out(Frictionless &self, const VinciStepView &step, VinciProblemView &out) {
    const size_t n = self.q.size();
    VinciChannel m = channel(VINCI_CHANNEL_M, n, n, self.value), tag = channel(VINCI_CHANNEL_TAG, n, 2, {});
    m.i = VinciSliceU32{self.row_start.data(), n + 1};
    m.j = VinciSliceU32{self.column.data(), self.column.size()};
    tag.i = VinciSliceU32{self.tag.data(), 2 * n};
    self.channels = {m,
                     channel(VINCI_CHANNEL_Q, n, 1, self.q),
                     channel(VINCI_CHANNEL_LOWER, n, 1, self.lower),
                     channel(VINCI_CHANNEL_UPPER, n, 1, self.upper),
                     tag,
                     channel(VINCI_CHANNEL_Z_SCALE, n, 1, self.scale),
                     channel(VINCI_CHANNEL_W_SCALE, n, 1, self.scale)};
    out.class_ = VINCI_CLASS_MLCP;
    out.n = static_cast<uint32_t>(n);
    out.tolerance = step.tolerance;
    out.channels = VinciSliceChannel{self.channels.data(), self.channels.size()};
}

// No exception may leave a function of the table.
int32_t formulate(void *instance, const VinciStepView *step, VinciProblemView *out, VinciErrorText *error) try {
    Frictionless &self = *static_cast<Frictionless *>(instance);
    for (size_t b = 0; b < step->motion.len; ++b)
        if (step->motion.ptr[b] > VINCI_MOTION_DYNAMIC || step->rows.rate.len > 0)
            return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "only dynamic bodies without joints and limits");
    for (auto *list : {&self.value, &self.q, &self.lower, &self.upper, &self.scale, &self.normal_rate}) list->clear();
    self.column.clear();
    self.tag.clear();
    self.row_start.assign(1, 0);
    for (size_t i = 0; i < step->v.len; ++i) velocity_row(self, *step, i);
    for (size_t k = 0; k < step->contacts.gap.len; ++k) contact_row(self, *step, k);
    hand_out(self, *step, *out);
    return VINCI_OK;
} catch (...) {
    return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this step");
}

// What is missing in the momentum balance of a prescribed velocity is the effort of its drive.
void efforts(Frictionless &self, const VinciStepView &step, const double *p) {
    const size_t nv = step.v.len;
    for (size_t i = 0; i < nv; ++i) {
        double sum = -step.h * (step.force.ptr[i] + step.bias.ptr[i]);
        for_mass(step, i, [&](size_t j, double m) { sum += m * (self.v[j] - step.v.ptr[j]); });
        self.effort.push_back(sum);
    }
    for (size_t k = 0; k < step.contacts.gap.len; ++k)
        for_normal(step, k, [&](uint32_t j, double w) { self.effort[j] -= p[k] * w; });
    for (size_t i = 0; i < nv; ++i)
        if (!prescribed(step, i)) self.effort[i] = 0.0;
}

int32_t update(void *instance, const VinciStepView *step, const VinciSolutionView *solution, VinciUpdateView *out,
               VinciErrorText *error) try {
    Frictionless &self = *static_cast<Frictionless *>(instance);
    const size_t nv = step->v.len, n = step->contacts.gap.len, stride = 1 + step->contacts.n_t;
    if (solution->z.len != nv + n) return vinci_refuse(error, VINCI_KIND_BAD_INPUT, "this solves another problem");
    const double *z = solution->z.ptr;
    self.v.assign(z, z + nv);
    self.impulse.assign(n * stride, 0.0);
    for (size_t k = 0; k < n; ++k) self.impulse[k * stride] = z[nv + k];
    self.effort.clear();
    efforts(self, *step, z + nv);
    self.motion.assign(step->motion.len, VINCI_MOTION_DYNAMIC);
    out->verdict.code = VINCI_VERDICT_ACCEPT;
    out->h_used = step->h;
    out->v = vinci_numbers(self.v.data(), nv);
    out->impulse = vinci_numbers(self.impulse.data(), self.impulse.size());
    out->effort = vinci_numbers(self.effort.data(), nv);
    out->normal_rate = vinci_numbers(self.normal_rate.data(), n);
    out->motion = VinciSliceU8{self.motion.data(), self.motion.size()};
    return VINCI_OK;
} catch (...) {
    return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this step");
}

void *create(VinciSliceU8, const VinciSystemView *, VinciErrorText *error) try {
    return new Frictionless();
} catch (...) {
    vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    return nullptr;
}

int32_t destroy(void *instance, VinciErrorText *) {
    delete static_cast<Frictionless *>(instance);
    return VINCI_OK;
}

VinciText manifest() {
    return vinci_text(
        R"([{"id": "example.stepper.frictionless-in-cpp", "role": "stepper", "version": "0.1.0",
             "title": "Frictionless contact at velocity level, in C++", "licence": "MIT OR Apache-2.0",
             "classes": ["Mlcp"], "capabilities": ["dynamic"], "deterministic": true,
             "parameters": {"ignores": ["friction", "restitution", "stiffness", "damping", "dissipation"]},
             "options": {"type": "object", "additionalProperties": false}}])");
}

const VinciStepperV1 stepper = {
    sizeof(VinciStepperV1), 0, create, nullptr, nullptr, nullptr, destroy, formulate, update};

}  // namespace

const VinciPluginV1 vinci_plugin_v1 = {
    sizeof(VinciPluginV1), VINCI_CONTRACT_VERSION, manifest, nullptr, nullptr, &stepper, nullptr, nullptr};
