// A detector in C++: discs against discs and half-planes, every pair of shapes looked at.
//
// The gap of two discs is |c_B - c_A| - r_A - r_B, that of a disc over a half-plane n . (c_B - a) - r_B.

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "../vinci_helpers.h"

namespace {

// A shape as it is needed; a half-plane has radius 0.
struct Round {
    uint32_t body;
    bool is_plane;
    std::array<double, 3> pose;
    double radius;
};

struct Discs {
    std::vector<Round> shapes;
    std::vector<std::array<uint32_t, 2>> pairs;  // those that may touch; a half-plane is A
    std::vector<VinciKey> key;                   // the answer, which the host borrows until the next call
    std::vector<double> gap, normal, point_a, point_b;
};

struct Refusal {
    uint32_t kind;
    std::string message;
};

Round read_shape(const VinciShapeView &shape, size_t index) {
    const bool is_plane = shape.kind == VINCI_SHAPE_HALF_PLANE;
    if (shape.kind != VINCI_SHAPE_DISC && !is_plane)
        throw Refusal{VINCI_KIND_UNSUPPORTED, "shape " + std::to_string(index) + " is of kind " + std::to_string(shape.kind) +
                                                  "; discs and half-planes are known"};
    const double *pose = shape.pose.ptr;
    Round out{shape.body, is_plane, {pose[0], pose[1], pose[2]}, 0.0};
    if (is_plane) return out;
    if (shape.params.len != 1 || !(shape.params.ptr[0] > 0.0) || !std::isfinite(shape.params.ptr[0]))
        throw Refusal{VINCI_KIND_BAD_INPUT, "the radius of a disc must be positive and finite"};
    out.radius = shape.params.ptr[0];
    return out;
}

// Whether contacts of two bodies are wanted: different, not both static, not ignored.
bool may_touch(const VinciSystemView &system, uint32_t a, uint32_t b) {
    if (a == b || (system.is_static.ptr[a] && system.is_static.ptr[b])) return false;
    const uint32_t low = std::min(a, b), high = std::max(a, b), *ignored = system.ignored_pairs.ptr;
    for (size_t k = 0; k + 1 < system.ignored_pairs.len; k += 2)
        if (ignored[k] == low && ignored[k + 1] == high) return false;
    return true;
}

Discs read(const VinciSystemView &system) {
    Discs out;
    for (uint32_t j = 0; j < system.shapes.len; ++j) {
        out.shapes.push_back(read_shape(system.shapes.ptr[j], j));
        const Round &b = out.shapes.back();
        for (uint32_t i = 0; i < j; ++i) {
            const Round &a = out.shapes[i];
            if ((a.is_plane && b.is_plane) || !may_touch(system, a.body, b.body)) continue;
            if (b.is_plane) out.pairs.push_back({j, i});
            else out.pairs.push_back({i, j});
        }
    }
    const size_t n = out.pairs.size();
    out.key.reserve(n);
    for (auto *list : {&out.gap, &out.normal, &out.point_a, &out.point_b}) list->reserve(3 * n);
    return out;
}

struct Placed {
    double centre[2], up[2];
};

// Centre of a shape, or a point of the edge of a half-plane, and its local +y, world frame.
Placed place(const Round &shape, const double *poses) {
    const double *at = poses + 3 * shape.body, s = std::sin(at[2]), c = std::cos(at[2]), angle = at[2] + shape.pose[2];
    return {{at[0] + c * shape.pose[0] - s * shape.pose[1], at[1] + s * shape.pose[0] + c * shape.pose[1]},
            {-std::sin(angle), std::cos(angle)}};
}

// Adds the contact of a pair, if its gap is within the margins of its bodies.
void measure(Discs &self, const std::array<uint32_t, 2> &pair, const VinciDetectQuery &query) {
    const Round &a = self.shapes[pair[0]], &b = self.shapes[pair[1]];
    const Placed at_a = place(a, query.pose.ptr), at_b = place(b, query.pose.ptr);
    const double d[2] = {at_b.centre[0] - at_a.centre[0], at_b.centre[1] - at_a.centre[1]};
    const double length = std::hypot(d[0], d[1]);
    const bool along = !a.is_plane && length > 0.0;
    const double n[3] = {along ? d[0] / length : at_a.up[0], along ? d[1] / length : at_a.up[1], 0.0};
    const double gap = n[0] * d[0] + n[1] * d[1] - a.radius - b.radius;
    if (!(gap <= query.margin.ptr[a.body] + query.margin.ptr[b.body])) return;
    self.key.push_back(VinciKey{pair[0], pair[1], 0, 0});
    self.gap.push_back(gap);
    for (size_t i = 0; i < 3; ++i) {
        const double centre = i < 2 ? at_b.centre[i] : 0.0;
        self.normal.push_back(n[i]);
        self.point_a.push_back(centre - (b.radius + gap) * n[i]);
        self.point_b.push_back(centre - b.radius * n[i]);
    }
}

// No exception may leave a function of the table.
void *create(VinciSliceU8, const VinciSystemView *system, VinciErrorText *error) try {
    return new Discs(read(*system));
} catch (const Refusal &refusal) {
    vinci_refuse(error, refusal.kind, refusal.message.c_str());
    return nullptr;
} catch (...) {
    vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    return nullptr;
}

int32_t destroy(void *instance, VinciErrorText *) {
    delete static_cast<Discs *>(instance);
    return VINCI_OK;
}

int32_t detect(void *instance, const VinciDetectQuery *query, VinciRawContacts *out, VinciErrorText *error) try {
    Discs &self = *static_cast<Discs *>(instance);
    self.key.clear();
    for (auto *list : {&self.gap, &self.normal, &self.point_a, &self.point_b}) list->clear();
    for (const auto &pair : self.pairs) measure(self, pair, *query);
    out->key.list = VinciSliceKey{self.key.data(), self.key.size()};
    out->gap = vinci_numbers(self.gap.data(), self.gap.size());
    out->normal = vinci_numbers(self.normal.data(), self.normal.size());
    out->point_a = vinci_numbers(self.point_a.data(), self.point_a.size());
    out->point_b = vinci_numbers(self.point_b.data(), self.point_b.size());
    return VINCI_OK;
} catch (...) {
    return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this answer");
}

VinciText manifest() {
    return vinci_text(
        R"([{"id": "example.detector.discs-in-cpp", "role": "detector", "version": "0.1.0",
             "title": "Discs and half-planes in C++", "licence": "MIT OR Apache-2.0",
             "shapes": ["disc", "half-plane"], "spaces": ["planar"], "deterministic": true,
             "options": {"type": "object", "additionalProperties": false}}])");
}

const VinciDetectorV1 detector = {sizeof(VinciDetectorV1), 0, create, nullptr, nullptr, nullptr, destroy, detect};

}  // namespace

const VinciPluginV1 vinci_plugin_v1 = {
    sizeof(VinciPluginV1), VINCI_CONTRACT_VERSION, manifest, nullptr, &detector, nullptr, nullptr, nullptr};
