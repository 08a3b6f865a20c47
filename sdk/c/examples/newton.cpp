// A semismooth Newton method in C++ with Eigen, for problems of class Mlcp.
//
// Solves F(z) = 0, F_i = z_i - P[l_i, u_i](z_i - w_i), w = M z + q, P the projection onto the bounds. Where l_i < z_i - w_i < u_i row i of the
// derivative is that of M, elsewhere a row of the unit matrix (Qi and Sun, A nonsmooth version of Newton's method, 1993). A step is
// shortened until |F| falls; where it does not fall at all, the answer says so.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "../vinci_helpers.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Numbers = Eigen::Map<const VectorXd>;

struct Newton {
    int max_iterations;
    VectorXd z;  // the answer, which the host borrows until the next call
};

struct Problem {
    MatrixXd m;
    Numbers q, lower, upper;
    double scale;
};

Numbers numbers(const VinciProblemView &p, uint32_t id) {
    const VinciSliceF64 list = vinci_channel(&p, id).f;
    return Numbers(list.ptr, static_cast<Index>(list.len));
}

MatrixXd dense(const VinciChannel &m) {
    MatrixXd out = MatrixXd::Zero(m.rows, m.cols);
    for (uint32_t i = 0; i < m.rows; ++i)
        for (uint32_t e = m.i.ptr[i]; e < m.i.ptr[i + 1]; ++e) out(i, m.j.ptr[e]) += m.f.ptr[e];
    return out;
}

// What residuals are relative to: the largest |q|, or bound that keeps an unknown away from 0; 1 where both vanish.
double scale_of(const Numbers &q, const Numbers &lower, const Numbers &upper) {
    double scale = 0.0;
    for (Index i = 0; i < q.size(); ++i) {
        const double away = std::max(lower[i], -upper[i]);
        scale = std::max({scale, std::abs(q[i]), std::isfinite(away) ? away : 0.0});
    }
    return scale > 0.0 ? scale : 1.0;
}

double projected(double x, double lower, double upper) { return std::min(std::max(x, lower), upper); }

// F(z), and the relative residual that the host judges by.
double evaluate(const Problem &p, const VectorXd &z, VectorXd &w, VectorXd &f) {
    w = p.m * z + p.q;
    for (Index i = 0; i < z.size(); ++i) f[i] = z[i] - projected(z[i] - w[i], p.lower[i], p.upper[i]);
    const double norm = z.size() == 0 ? 0.0 : f.cwiseAbs().maxCoeff() / p.scale;
    return f.allFinite() ? norm : std::numeric_limits<double>::infinity();
}

VectorXd direction(const Problem &p, const VectorXd &z, const VectorXd &w, const VectorXd &f) {
    MatrixXd derivative = p.m;
    for (Index i = 0; i < z.size(); ++i) {
        const double x = z[i] - w[i];
        if (x > p.lower[i] && x < p.upper[i]) continue;
        derivative.row(i).setZero();
        derivative(i, i) = 1.0;
    }
    return derivative.partialPivLu().solve(-f);
}

uint32_t iterate(Newton &self, const Problem &p, double tolerance, uint32_t &iterations) {
    const Index n = self.z.size();
    VectorXd w(n), f(n), w_next(n), f_next(n);
    double left = evaluate(p, self.z, w, f);
    for (int k = 0; k < self.max_iterations; ++k) {
        if (left <= tolerance) return VINCI_STATUS_CONVERGED;
        const VectorXd d = direction(p, self.z, w, f);
        if (!d.allFinite()) return VINCI_STATUS_NUMERICAL_FAILURE;
        double t = 1.0, next = std::numeric_limits<double>::infinity();
        VectorXd trial(n);
        for (; t > 1e-6; t *= 0.5) {
            trial = self.z + t * d;
            next = evaluate(p, trial, w_next, f_next);
            if (f_next.norm() <= (1.0 - 1e-4 * t) * f.norm()) break;
        }
        if (!(t > 1e-6)) return VINCI_STATUS_NUMERICAL_FAILURE;
        self.z.swap(trial);
        w.swap(w_next);
        f.swap(f_next);
        left = next;
        ++iterations;
    }
    return left <= tolerance ? VINCI_STATUS_CONVERGED : VINCI_STATUS_MAX_ITERATIONS;
}

void solve_for(Newton &self, const VinciProblemView &p, VinciSolutionView &out) {
    const Numbers q = numbers(p, VINCI_CHANNEL_Q), lower = numbers(p, VINCI_CHANNEL_LOWER);
    const Numbers upper = numbers(p, VINCI_CHANNEL_UPPER), guess = numbers(p, VINCI_CHANNEL_GUESS);
    const Problem problem{dense(vinci_channel(&p, VINCI_CHANNEL_M)), q, lower, upper, scale_of(q, lower, upper)};
    self.z = guess.size() == q.size() ? VectorXd(guess) : VectorXd(VectorXd::Zero(q.size()));
    for (Index i = 0; i < q.size(); ++i) self.z[i] = projected(self.z[i], lower[i], upper[i]);
    out.status.code = iterate(self, problem, p.tolerance, out.iterations);
    out.factorizations = out.iterations;
    if (!self.z.allFinite()) self.z.setZero();
    out.z = vinci_numbers(self.z.data(), static_cast<size_t>(self.z.size()));
}

// No exception may leave a function of the table.
int32_t solve(void *instance, const VinciProblemView *p, VinciSolutionView *out, VinciErrorText *error) try {
    if (p->class_ != VINCI_CLASS_MLCP)
        return vinci_refuse(error, VINCI_KIND_UNSUPPORTED, "only problems of class Mlcp are taken");
    solve_for(*static_cast<Newton *>(instance), *p, *out);
    return VINCI_OK;
} catch (const std::bad_alloc &) {
    return vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for this problem");
} catch (...) {
    return vinci_refuse(error, VINCI_KIND_OTHER, "an exception of unknown type stopped the method");
}

void *create(VinciSliceU8 options, const VinciSystemView *, VinciErrorText *error) try {
    return new Newton{static_cast<int>(vinci_option_number(options, "max_iterations", 200.0)), VectorXd()};
} catch (...) {
    vinci_refuse(error, VINCI_KIND_OTHER, "there is no memory for an instance");
    return nullptr;
}

int32_t destroy(void *instance, VinciErrorText *) {
    delete static_cast<Newton *>(instance);
    return VINCI_OK;
}

VinciText manifest() {
    return vinci_text(
        R"([{"id": "example.solver.newton-in-cpp", "role": "solver", "version": "0.1.0",
             "title": "Semismooth Newton method in C++ with Eigen", "licence": "MIT OR Apache-2.0",
             "citation": ["L. Qi and J. Sun, A nonsmooth version of Newton's method, 1993"],
             "classes": ["Mlcp"], "deterministic": true,
             "options": {"type": "object", "additionalProperties": false, "properties": {
                 "max_iterations": {"type": "integer", "minimum": 1, "maximum": 100000, "default": 200, "x-vinci-budget": true,
                                    "description": "Newton steps at most."}}}}])");
}

const VinciSolverV1 solver = {sizeof(VinciSolverV1), 0, create, nullptr, nullptr, nullptr, destroy, solve};

}  // namespace

const VinciPluginV1 vinci_plugin_v1 = {
    sizeof(VinciPluginV1), VINCI_CONTRACT_VERSION, manifest, nullptr, nullptr, nullptr, &solver, nullptr};
