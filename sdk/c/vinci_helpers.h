/* Small helpers for plugins in C and C++, beside the generated vinci_plugin.h. Nothing here is part of the contract. */

#ifndef VINCI_HELPERS_H
#define VINCI_HELPERS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vinci_plugin.h"

/* A text of the plugin, which lives as long as the library. */
static inline VinciText vinci_text(const char *text) {
    VinciText out;
    out.bytes.ptr = (const uint8_t *)text;
    out.bytes.len = strlen(text);
    return out;
}

/* Numbers of the plugin, which live until its next call. */
static inline VinciSliceF64 vinci_numbers(const double *values, size_t n) {
    VinciSliceF64 out;
    out.ptr = values;
    out.len = n;
    return out;
}

/* Writes the reason of a refusal, cut where it does not fit; gives the return code for it. */
static inline int32_t vinci_refuse(VinciErrorText *error, uint32_t kind, const char *message) {
    size_t len = strlen(message);
    if (error != NULL) {
        if (len > error->capacity) {
            len = error->capacity;
            while (len > 0 && ((unsigned char)message[len] & 0xc0u) == 0x80u) --len; /* not within a character */
        }
        if (len > 0) memcpy(error->ptr, message, len);
        error->kind = kind;
        error->len = (uint32_t)len;
    }
    return VINCI_REFUSED;
}

/* The array of a number (VINCI_CHANNEL_...) of a problem; an empty one where the problem has none. */
static inline VinciChannel vinci_channel(const VinciProblemView *problem, uint32_t id) {
    VinciChannel none;
    for (size_t k = 0; k < problem->channels.len; ++k)
        if (problem->channels.ptr[k].id == id) return problem->channels.ptr[k];
    memset(&none, 0, sizeof none);
    return none;
}

/* x within its bounds. */
static inline double vinci_clamp(double x, double lower, double upper) {
    return x < lower ? lower : x > upper ? upper : x;
}

/* (M z + q)_i; M is a sparse matrix by rows. */
static inline double vinci_row_rate(const VinciChannel *m, const double *q, const double *z, size_t i) {
    double sum = q[i];
    for (uint32_t e = m->i.ptr[i]; e < m->i.ptr[i + 1]; ++e) sum += m->f.ptr[e] * z[m->j.ptr[e]];
    return sum;
}

/* The largest |q_i|, and of bounds the largest one away from 0: what the residual of a problem of class Mlcp is relative to, if it is
 * not 0. Without bounds (null) it is the largest |q_i|. */
static inline double vinci_size(size_t n, const double *q, const double *lower, const double *upper) {
    double size = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const double away = lower != NULL ? fmax(lower[i], -upper[i]) : 0.0;
        size = fmax(size, fabs(q[i]));
        if (isfinite(away)) size = fmax(size, away);
    }
    return size;
}

/* The value of an option as text; empty where there is none of that name. The host hands over a JSON object without spaces. */
static inline VinciSliceU8 vinci_option(VinciSliceU8 options, const char *name) {
    VinciSliceU8 value;
    const size_t len = strlen(name);
    int depth = 0, quoted = 0;
    value.ptr = NULL;
    value.len = 0;
    for (size_t k = 0; k < options.len; ++k) {
        const uint8_t c = options.ptr[k];
        if (quoted && c == '\\') {
            ++k;
        } else if (c == '"') {
            const int is_key = !quoted && depth == 1 && value.ptr == NULL && k + len + 2 < options.len &&
                               memcmp(options.ptr + k + 1, name, len) == 0 && options.ptr[k + len + 1] == '"' &&
                               options.ptr[k + len + 2] == ':';
            if (is_key) {
                value.ptr = options.ptr + k + len + 3;
                k += len + 2;
            } else {
                quoted = !quoted;
            }
        } else if (!quoted && (c == '{' || c == '[')) {
            ++depth;
        } else if (!quoted && (c == '}' || c == ']')) {
            --depth;
        }
        if (value.ptr != NULL && !quoted && ((depth == 1 && c == ',') || depth == 0)) {
            value.len = (size_t)(options.ptr + k - value.ptr);
            return value;
        }
    }
    return value;
}

/* The value of an option that is a number; `otherwise` where there is none. */
static inline double vinci_option_number(VinciSliceU8 options, const char *name, double otherwise) {
    char text[64];
    const VinciSliceU8 value = vinci_option(options, name);
    if (value.len == 0 || value.len >= sizeof text) return otherwise;
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    return strtod(text, NULL);
}

#endif
