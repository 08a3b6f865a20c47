// A controller in C++: proportional, integral and derivative action towards references, degree of freedom by degree of freedom.
//
// tau = kp e + ki (integral of e dt) + kd de/dt, asked at grid times and held between them. The integral is its memory: bytes that the
// host saves and restores.

#include <vector>

#include "../vinci_helpers.h"

namespace {

// First bytes of a state, so that those of others are refused.
constexpr char MARK[8] = {'p', 'i', 'd', '-', 'c', 'p', 'p', '1'};

struct Pid {
    double kp, kd, ki;
    std::vector<uint32_t> coordinate, velocity;  // where every effort stands in q and in v
    std::vector<double> integral;                // ki times the integral of the error
    std::vector<double> effort;                  // the answer
    std::vector<uint8_t> bytes;                  // the state: MARK, then the integrals

    size_t state_len() const { return sizeof MARK + integral.size() * sizeof(double); }
};

// No exception may leave a function of the table.
void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) try {
    Pid self{};
    self.kp = vinci_option_number(options, "kp", 0.0);
    self.kd = vinci_option_number(options, "kd", 0.0);
    self.ki = vinci_option_number(options, "ki", 0.0);
    for (size_t i = 0; i < system->efforts.len; ++i) {
        const uint32_t dof = system->efforts.ptr[i], coordinate = system->dof_coordinate.ptr[dof];
        if (coordinate == VINCI_NO_COORDINATE) {
            vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "rotations in space have no coordinate to be led by");
            return nullptr;
        }
        self.velocity.push_back(dof);
        self.coordinate.push_back(coordinate);
    }
    self.integral.assign(system->efforts.len, 0.0);
    self.effort.assign(system->efforts.len, 0.0);
    self.bytes.assign(self.state_len(), 0);
    return new Pid(std::move(self));
} catch (...) {
    vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    return nullptr;
}

int32_t destroy(void *instance, VinciErrorText *) {
    delete static_cast<Pid *>(instance);
    return VINCI_OK;
}

int32_t control(void *instance, const VinciControlView *view, VinciCommands *out, VinciErrorText *) {
    Pid &self = *static_cast<Pid *>(instance);
    for (size_t i = 0; i < self.effort.size(); ++i) {
        const double q = view->q.ptr[self.coordinate[i]], v = view->v.ptr[self.velocity[i]];
        // Without a reference there is no error, only damping.
        const bool has = view->has_reference.ptr[i] != 0;
        const double e = has ? view->reference.ptr[3 * i] - q : 0.0;
        const double rate = has ? view->reference.ptr[3 * i + 1] - v : -v;
        self.effort[i] = self.kp * e + self.kd * rate + self.integral[i];
        // What is pushed now acts until the next call; the integral of this period acts from then on.
        self.integral[i] += self.ki * view->period * e;
    }
    out->effort = vinci_numbers(self.effort.data(), self.effort.size());
    return VINCI_OK;
}

int32_t save(void *instance, VinciSliceU8 *out, VinciErrorText *) {
    Pid &self = *static_cast<Pid *>(instance);
    memcpy(self.bytes.data(), MARK, sizeof MARK);
    if (!self.integral.empty())
        memcpy(self.bytes.data() + sizeof MARK, self.integral.data(), self.integral.size() * sizeof(double));
    out->ptr = self.bytes.data();
    out->len = self.bytes.size();
    return VINCI_OK;
}

int32_t load(void *instance, VinciSliceU8 bytes, VinciErrorText *error) {
    Pid &self = *static_cast<Pid *>(instance);
    if (bytes.len != self.state_len() || memcmp(bytes.ptr, MARK, sizeof MARK) != 0)
        return vinci_refuse(error, VINCI_KIND_BAD_STATE, "these bytes are no state of this controller");
    if (!self.integral.empty())
        memcpy(self.integral.data(), bytes.ptr + sizeof MARK, self.integral.size() * sizeof(double));
    return VINCI_OK;
}

VinciText manifest() {
    return vinci_text(
        R"([{"id": "example.controller.pid-in-cpp", "role": "controller", "version": "0.1.0",
             "title": "PID towards references, in C++", "licence": "MIT OR Apache-2.0",
             "capabilities": ["efforts"], "deterministic": true,
             "options": {"type": "object", "additionalProperties": false,
                         "examples": [{"kp": 100, "kd": 20, "ki": 5}], "properties": {
               "kp": {"type": "number", "minimum": 0, "default": 0, "description": "Stiffness, N/m or N m/rad."},
               "kd": {"type": "number", "minimum": 0, "default": 0, "description": "Damping, N s/m or N m s/rad."},
               "ki": {"type": "number", "minimum": 0, "default": 0,
                      "description": "Gain of the integral, N/(m s) or N m/(rad s)."}}}}])");
}

const VinciControllerV1 controller = {
    sizeof(VinciControllerV1), 0, create, save, load, nullptr, destroy, control};

}  // namespace

const VinciPluginV1 vinci_plugin_v1 = {
    sizeof(VinciPluginV1), VINCI_CONTRACT_VERSION, manifest, nullptr, nullptr, nullptr, nullptr, &controller};
