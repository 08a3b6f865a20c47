/* A solver in C that answers z = 1, and with one word defined does one thing wrong. */

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "vinci_helpers.h"

static double values[2] = {1.0, 1.0};

#ifdef CRASHES_AT_LOAD
__attribute__((constructor)) static void at_load(void) {
    *(volatile int *)8 = 1;
}
#endif

static void *create(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error) {
    (void)options, (void)system, (void)error;
#ifdef CREATES_NOTHING
    return NULL;
#else
    return values;
#endif
}

static int32_t destroy(void *instance, VinciErrorText *error) {
    (void)instance, (void)error;
    return VINCI_OK;
}

static int32_t solve(void *instance, const VinciProblemView *p, VinciSolutionView *out, VinciErrorText *error) {
    (void)instance, (void)error;
    out->status.code = VINCI_STATUS_CONVERGED;
    out->z = vinci_numbers(values, p->n);
#ifdef WRONG_LENGTH
    out->z.len = 2;
#endif
#ifdef NOTHING_OUT
    memset(out, 0, sizeof *out);
#endif
#ifdef NAN_OUT
    values[0] = NAN;
#endif
#ifdef NULL_OUT
    out->z.ptr = NULL;
#endif
#ifdef HUGE_OUT
    out->z.len = SIZE_MAX;
#endif
#ifdef ROUNDING
    fesetround(FE_UPWARD);
#endif
#ifdef SEGFAULT
    *(volatile int *)8 = 1;
#endif
#ifdef ABORTS
    abort();
#endif
#ifdef EXITS
    exit(0);
#endif
#ifdef LOOPS
    for (volatile int i = 0;; i = 1) {
    }
#endif
#ifdef REFUSES_SILENTLY
    return VINCI_REFUSED;
#endif
#ifdef LONG_TEXT
    memset(error->ptr, 'x', error->capacity);
    error->kind = VINCI_KIND_UNSUPPORTED;
    error->len = UINT32_MAX;
    return VINCI_REFUSED;
#endif
#ifdef UNKNOWN_CODE
    return 77;
#endif
    return VINCI_OK;
}

#if defined(ONLY_SAVE)
static int32_t save(void *instance, VinciSliceU8 *out, VinciErrorText *error) {
    (void)instance, (void)out, (void)error;
    return VINCI_OK;
}
#endif

#define FACTS "\"role\": \"solver\", \"version\": \"1.0.0\", \"classes\": [\"Mlcp\"], \"deterministic\": true," \
    " \"options\": {\"type\": \"object\", \"additionalProperties\": false}}]"

#ifndef NO_MANIFEST
static VinciText manifest(void) {
    VinciText text = vinci_text("[{\"id\": \"hostile.solver.c\", " FACTS);
#ifdef NOT_JSON
    text = vinci_text("id = hostile");
#endif
#ifdef NULL_MANIFEST
    text.bytes.ptr = NULL;
    text.bytes.len = 10;
#endif
#ifdef NOT_UTF8
    text = vinci_text("[\xff]");
#endif
#ifdef NO_ID
    text = vinci_text("[{" FACTS);
#endif
    return text;
}
#endif

#ifndef NO_ROLE
static
#endif
const VinciSolverV1 solver = {
#ifdef SHORT_ROLE
    .size = 8,
#else
    .size = sizeof(VinciSolverV1),
#endif
#ifndef NO_CREATE
    .create = create,
#endif
    .destroy = destroy,
#ifndef NO_SOLVE
    .solve = solve,
#endif
#ifdef ONLY_SAVE
    .save = save,
#endif
};

/* Where a table leaves a function out, nothing else mentions it. */
void *hostile_unused[] = {(void *)&create, (void *)&solve};

const VinciPluginV1 vinci_plugin_v1 = {
#ifdef SHORT_TABLE
    .size = 12,
#else
    .size = sizeof(VinciPluginV1),
#endif
#ifdef OTHER_MAJOR
    .contract = 9u << 16,
#else
    .contract = VINCI_CONTRACT_VERSION,
#endif
#ifndef NO_MANIFEST
    .manifest = manifest,
#endif
#ifndef NO_ROLE
    .solver = &solver,
#endif
};
