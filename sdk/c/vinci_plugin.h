/* The binary contract of Vinci for plugins in C and C++.
 *
 * Written from the types of the crate vinci-abi; do not edit. A plugin is a shared library that exports the table vinci_plugin_v1, the
 * last declaration of this file. Arrays in arguments live until the call returns, arrays in results until the next call on the same
 * instance; nobody frees what the other made. An instance is made, called and destroyed on one thread. Functions give VINCI_OK, or
 * VINCI_REFUSED with the reason in their error text. No C++ exception and no longjmp may leave a function. */

#ifndef VINCI_PLUGIN_H
#define VINCI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VINCI_EXPORT __attribute__((visibility("default")))
#else
#define VINCI_EXPORT
#endif
/* Version of the contract: major << 16 | minor. Majors do not mix; minors add channels and extensions. */
#define VINCI_CONTRACT_VERSION (2 << 16u)
/* The call did what it says. */
#define VINCI_OK 0
/* The call could not be made; the error text says why. */
#define VINCI_REFUSED 1
/* The plugin panicked; the instance is unusable from now on. */
#define VINCI_PANICKED 2
/* The plugin panicked in an earlier call. */
#define VINCI_POISONED 3
/* An option or parameter has a value the method cannot take. */
#define VINCI_KIND_BAD_OPTION 1u
/* The input has a shape, class or feature this stage does not support. */
#define VINCI_KIND_UNSUPPORTED 2u
/* The input contradicts itself (lengths, indices, missing data). */
#define VINCI_KIND_BAD_INPUT 3u
/* A number that must be finite is not. */
#define VINCI_KIND_NON_FINITE 4u
/* The model has no meaning for the chosen method (for example no damping in the first-order model). */
#define VINCI_KIND_BAD_MODEL 5u
/* Saved state bytes that cannot be read back. */
#define VINCI_KIND_BAD_STATE 6u
/* The stage panicked; its instance is unusable from now on. */
#define VINCI_KIND_PANICKED 7u
/* Anything else; the message says what. */
#define VINCI_KIND_OTHER 8u
/* The stage broke its contract: output that is non-finite, ill-sized or of unknown code, a changed floating-point
 * environment. Reported by whoever called it, never by the stage. */
#define VINCI_KIND_FAULT 9u
/* Bodies (x, y, θ). */
#define VINCI_SPACE_PLANAR 2u
/* Bodies (p, quaternion). */
#define VINCI_SPACE_SPATIAL 3u
/* Planar. params: [radius]. */
#define VINCI_SHAPE_DISC 1u
/* Planar, axis along local x. params: [half length of the axis, radius]. */
#define VINCI_SHAPE_PLANAR_CAPSULE 2u
/* Planar, simple, counter-clockwise, possibly non-convex. params: [x0, y0, x1, y1, …]. */
#define VINCI_SHAPE_POLYGON 3u
/* Planar: all points with n·x ≤ 0 are solid, n = local +y. params: []. Static bodies only. */
#define VINCI_SHAPE_HALF_PLANE 4u
/* Planar two-sided line segment without thickness. params: [x0, y0, x1, y1]. */
#define VINCI_SHAPE_SEGMENT 5u
/* Planar |x/a|^s + |y/b|^s ≤ 1. params: [a, b, s]. */
#define VINCI_SHAPE_SUPERELLIPSE 6u
/* Spatial. params: [radius]. */
#define VINCI_SHAPE_BALL 101u
/* Spatial. params: [half x, half y, half z]. */
#define VINCI_SHAPE_BOX 102u
/* Spatial, axis along local z. params: [half length of the axis, radius]. */
#define VINCI_SHAPE_CAPSULE 103u
/* Spatial, axis along local z. params: [half height, radius]. */
#define VINCI_SHAPE_CYLINDER 104u
/* Spatial, apex at +z. params: [half height, radius of the base at −z]. */
#define VINCI_SHAPE_CONE 105u
/* Spatial convex hull of points. params: [x0, y0, z0, …]. */
#define VINCI_SHAPE_CONVEX_HULL 106u
/* Spatial triangle mesh, counter-clockwise seen from outside. params: vertices; indices: triangles. */
#define VINCI_SHAPE_TRI_MESH 107u
/* Spatial: all points with z ≤ 0 (local) are solid. params: []. Static bodies only. */
#define VINCI_SHAPE_HALF_SPACE 108u
/* Spatial superellipsoid. params: [a, b, c, ε1, ε2]. */
#define VINCI_SHAPE_SUPERELLIPSOID 109u
/* Moves under forces. */
#define VINCI_DOF_FREE 0u
/* Follows a prescribed motion exactly (locked: the motion is rest); its drive effort is an outcome. */
#define VINCI_DOF_PRESCRIBED 1u
/* Driven through a stiffness: force K (commanded − actual). */
#define VINCI_DOF_IMPEDANCE 2u
/* A = M, b = M v + h f. */
#define VINCI_MOTION_DYNAMIC 1u
/* Generalized damper: A = h D, b = h f. */
#define VINCI_MOTION_FIRST_ORDER 2u
/* Equilibrium at every instant: A = 0, b = h f. */
#define VINCI_MOTION_QUASI_STATIC 3u
/* Momentum discarded every step: A = M, b = h f. */
#define VINCI_MOTION_QUASI_DYNAMIC 4u
/* Dynamic, with forces at the middle of the step (linearly implicit trapezoidal): A = M + (h/2) C + (h²/4) K. */
#define VINCI_MOTION_TRAPEZOIDAL 5u
/* (x, y, θ), v = q̇. */
#define VINCI_BLOCK_PLANAR 1u
/* (p, quaternion wxyz), v = (linear, angular) in world axes. */
#define VINCI_BLOCK_SPATIAL 2u
/* Joint coordinates of an articulated tree; where its quaternions stand, Layout::quaternion tells. */
#define VINCI_BLOCK_TREE 3u
/* Mixed linear complementarity problem with bounds. */
#define VINCI_CLASS_MLCP 1u
/* Exact Coulomb complementarity problem, one cone block per contact. */
#define VINCI_CLASS_CONE 2u
/* Convex quadratic objective over linear and second-order cones. */
#define VINCI_CLASS_CONIC 3u
/* Convex quadratic program with complementarity pairs. */
#define VINCI_CLASS_QPCC 4u
/* Root finding r(v) = 0 with functions called back. */
#define VINCI_CLASS_ROOT 5u
/* No known origin. */
#define VINCI_PART_GENERIC 0u
/* Momentum balance of a velocity (subject: velocity index). z: velocity, w: impulse. */
#define VINCI_PART_VELOCITY 1u
/* Non-penetration of a contact. z: normal impulse p_n, w: ρ_n (gap rate). */
#define VINCI_PART_NORMAL 2u
/* Friction direction of a contact. z: friction impulse p_f, w: ρ_f (slip speed). */
#define VINCI_PART_FRICTION 3u
/* Friction bound of a contact. z: σ (slip speed), w: s (impulse). */
#define VINCI_PART_SLIP 4u
/* Bilateral row (joint). z: impulse, w: rate. */
#define VINCI_PART_BILATERAL 5u
/* Unilateral row that is not a contact (joint limit). z: impulse, w: rate. */
#define VINCI_PART_LIMIT 6u
/* Local deformation of a compliant contact. z: deformation, w: impulse. */
#define VINCI_PART_DEFORMATION 7u
/* Friction of a support point in 2.5D. z: impulse, w: slip speed. */
#define VINCI_PART_SUPPORT 8u
/* Friction bound of a support point. z: σ, w: impulse. */
#define VINCI_PART_SUPPORT_SLIP 9u
/* Ray of a contact's friction pyramid, or row of its cone (Anitescu). s: rate along the ray, y: impulse β. */
#define VINCI_PART_RAY 10u
/* Least normal impulse of a contact (squeeze bound). s: impulse. */
#define VINCI_PART_SQUEEZE 11u
/* Bound of a single unknown. s: the unknown. */
#define VINCI_PART_BOUND 12u
/* The tolerance was met, by the solver's own count. */
#define VINCI_STATUS_CONVERGED 1u
/* The iteration limit came first. */
#define VINCI_STATUS_MAX_ITERATIONS 2u
/* There is no solution; Solution::certificate proves it. */
#define VINCI_STATUS_INFEASIBLE 3u
/* Lemke's method ended on a secondary ray; Solution::certificate holds the ray. No proof of infeasibility. */
#define VINCI_STATUS_RAY_TERMINATION 4u
/* Factorisation, growth or cancellation made further work pointless. */
#define VINCI_STATUS_NUMERICAL_FAILURE 5u
/* The objective has no lower bound; Solution::certificate holds the direction, and Solution::z a point to start from: without
 * one there may be no solution at all. */
#define VINCI_STATUS_UNBOUNDED 6u
/* A time limit came first. */
#define VINCI_STATUS_TIME_LIMIT 7u
/* A node limit came first; a gap is reported. */
#define VINCI_STATUS_NODE_LIMIT 8u
/* Take v⁺ (or q⁺), impulses and h used; the step is done. */
#define VINCI_VERDICT_ACCEPT 1u
/* Formulate and solve another problem for the same step and contacts. */
#define VINCI_VERDICT_AGAIN 2u
/* Detect at Update::q, then formulate again. */
#define VINCI_VERDICT_REDETECT 3u
/* Evaluate everything (masses, forces, drives, other rows, contacts) at time t + Update::h_used, positions Update::q,
 * velocities Update::v, then formulate again (pass + 1) with a view whose t, q, v are these. The next Evaluate counts
 * its time from the step's start again. Forces are what they are there: gyroscopic torques too, whatever way over the
 * step is asked for at its start. Of such a view the referee takes everything but v as the step's own. */
#define VINCI_VERDICT_EVALUATE 7u
/* Roll back and repeat with step Update::h_next. */
#define VINCI_VERDICT_RETRY 4u
/* An impact without duration: Update::v and the impulses are taken at the same time and place, then the step is
 * formulated again (pass + 1) from there. The host judges and reports every impact by itself. */
#define VINCI_VERDICT_IMPACT 6u
/* The step cannot be made; Update::reason says why. */
#define VINCI_VERDICT_FAIL 5u
/* Mlcp: M, sparse n × n. */
#define VINCI_CHANNEL_M 1u
/* Mlcp: q, n. */
#define VINCI_CHANNEL_Q 2u
/* Mlcp: lower bounds, n. */
#define VINCI_CHANNEL_LOWER 3u
/* Mlcp: upper bounds, n. */
#define VINCI_CHANNEL_UPPER 4u
/* Mlcp: provenance, n rows of (subject, part). */
#define VINCI_CHANNEL_TAG 5u
/* Mlcp: typical sizes of the unknowns, n. */
#define VINCI_CHANNEL_Z_SCALE 6u
/* Mlcp: typical sizes of the rows, n. */
#define VINCI_CHANNEL_W_SCALE 7u
/* Mlcp: guess of z, n or empty. */
#define VINCI_CHANNEL_GUESS 8u
/* Root: starting point, n. */
#define VINCI_CHANNEL_START 9u
/* Cone (which has the channels of Mlcp too): (normal row, first tangent row, tangents) of every block. */
#define VINCI_CHANNEL_BLOCK_INDEX 10u
/* Cone: μ or radius of every block. */
#define VINCI_CHANNEL_BLOCK_SIZE 11u
/* Conic: P, sparse n × n. Conic has the channels LOWER, UPPER (m), and of its
 * unknowns TAG, Z_SCALE and GUESS too. */
#define VINCI_CHANNEL_P 12u
/* Conic: c, n. */
#define VINCI_CHANNEL_COST 13u
/* Conic: G, sparse m × n. */
#define VINCI_CHANNEL_ROWS 14u
/* Conic: g, m. */
#define VINCI_CHANNEL_OFFSET 15u
/* Conic: (first row, rows) of every cone. */
#define VINCI_CHANNEL_CONES 16u
/* Conic: provenance of the rows, m rows of (subject, part). */
#define VINCI_CHANNEL_ROW_TAG 17u
/* Conic: typical sizes of the rows, m. */
#define VINCI_CHANNEL_ROW_SCALE 18u
/* Conic: guess of y, m or empty. */
#define VINCI_CHANNEL_DUAL_GUESS 19u
/* Qpcc (which has the channels of Conic too): rows (i, j) of every pair. */
#define VINCI_CHANNEL_PAIRS 20u
/* Qpcc: contact of every pair. */
#define VINCI_CHANNEL_GROUP 21u
/* Qpcc: guess of the mode of every pair, or empty. */
#define VINCI_CHANNEL_MODES 22u
/* Root: typical sizes of r, n or empty. */
#define VINCI_CHANNEL_R_SCALE 23u
/* Oracle call: v → r(v). */
#define VINCI_ROOT_RESIDUAL 1u
/* Oracle call: v → ∂r/∂v, n × n by rows. */
#define VINCI_ROOT_JACOBIAN 2u
/* Oracle call: (v, Δv) → largest allowed fraction α of the update. */
#define VINCI_ROOT_LIMIT 3u
/* Oracle call: (v, Δv) → size of an *undamped* update, ≥ 0: below 1 the iteration may stop after it. A criterion of the
 * problem beside its residual, which is audited all the same. Only where Root::TRAITS says so. */
#define VINCI_ROOT_UPDATE_SIZE 4u
/* Oracle call: v → (1 where Root::UPDATE_SIZE is known, 1 where ∂r/∂v is symmetric positive definite everywhere),
 * else 0. */
#define VINCI_ROOT_TRAITS 5u
/* Oracle call: v → number e of entries of ∂r/∂v that are stored, those of its pattern. The pattern is that of the problem:
 * no v changes it, and what is not in it is 0 at every v. */
#define VINCI_ROOT_ENTRIES 6u
/* Oracle call: v → pattern of ∂r/∂v by rows, n + 1 + e whole numbers: where each row begins among the entries, and e; then
 * the columns, in any order within a row, none twice. It is symmetric, with the diagonal. Unknowns with the same columns
 * are eliminated together. */
#define VINCI_ROOT_PATTERN 7u
/* Oracle call: v → entries of ∂r/∂v in the order of the pattern, e. */
#define VINCI_ROOT_VALUES 8u
/* No normal. */
#define VINCI_NO_NORMAL UINT32_MAX
/* No group. */
#define VINCI_NO_GROUP UINT32_MAX
/* No coordinate. */
#define VINCI_NO_COORDINATE UINT32_MAX
/* No tagged. */
#define VINCI_UNTAGGED UINT32_MAX

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceU8 {
    /* First element. */
    const uint8_t *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceU8;

/* UTF-8 text. */
typedef struct VinciText {
    /* Its bytes. */
    VinciSliceU8 bytes;
} VinciText;

/* Services of the host for a library, given once at its initialisation. */
typedef struct VinciHostServices {
    /* First argument of the functions. */
    const void *ctx;
    /* Most verbose level wanted: 0 none, 1 error, … 5 trace. Less important events are never built. */
    uint32_t max_level;
    /* Always zero. */
    uint32_t reserved;
    /* Takes a message: (ctx, level, target, text), UTF-8. May be called from any thread. */
    void (*log)(const void *, uint32_t, VinciSliceU8, VinciSliceU8);
    /* The growth path: a function table by name, null for an unknown one. */
    const void * (*interface)(const void *, VinciSliceU8);
} VinciHostServices;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceSliceU8 {
    /* First element. */
    const VinciSliceU8 *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceSliceU8;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceF64 {
    /* First element. */
    const double *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceF64;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceU32 {
    /* First element. */
    const uint32_t *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceU32;

/* A shape as it crosses to a detector. */
typedef struct VinciShapeView {
    /* Code of the ShapeKind; a detector refuses kinds it does not know. */
    uint32_t kind;
    /* Index of its body. */
    uint32_t body;
    /* Pose in the body frame, see Shape::pose. */
    VinciSliceF64 pose;
    /* Parameters, see ShapeKind. */
    VinciSliceF64 params;
    /* Vertex indices, see ShapeKind. */
    VinciSliceU32 indices;
} VinciShapeView;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceShapeView {
    /* First element. */
    const VinciShapeView *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceShapeView;

/* An array with a number: rows × cols reals, or a sparse matrix (f values, i row offsets, j columns), or integers. */
typedef struct VinciChannel {
    /* Number of the array; see crate::codes::channel. */
    uint32_t id;
    /* Rows, or the length of a vector. */
    uint32_t rows;
    /* Columns; 1 for a vector. */
    uint32_t cols;
    /* Always zero; keeps the arrays aligned. */
    uint32_t reserved;
    /* Reals. */
    VinciSliceF64 f;
    /* Integers, or row offsets. */
    VinciSliceU32 i;
    /* Integers, or columns. */
    VinciSliceU32 j;
} VinciChannel;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceChannel {
    /* First element. */
    const VinciChannel *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceChannel;

/* The unchanging side of a system, handed to every stage when it is created. */
typedef struct VinciSystemView {
    /* Planar or spatial. */
    uint32_t space;
    /* Number of velocity coordinates of the whole system. */
    uint32_t nv;
    /* Number of position coordinates of the whole system. */
    uint32_t nq;
    /* Problem classes that every solver of the run takes, or, where none of the stepper's is among them, that reach every
     * solver over a bridge: bit 2^(code − 1) of crate::problem::ProblemClass; 0: unknown. With
     * crate::problem::SECOND_ORDER_CONES where every solver takes programs with cones by itself. */
    uint32_t accepted;
    /* Names of the bodies, by index. */
    VinciSliceSliceU8 body_names;
    /* 1 where the body never moves, else 0; length bodies. */
    VinciSliceU8 is_static;
    /* All shapes; the index is the shape's id in contacts. */
    VinciSliceShapeView shapes;
    /* Pairs of bodies (a, b) whose contacts are not wanted, flattened; a < b. */
    VinciSliceU32 ignored_pairs;
    /* Prescribed velocities that a drive commands, ascending; the other prescribed ones are locked. */
    VinciSliceU32 driven;
    /* Name of every degree of freedom, nv: BODY.x, BODY.rx, TREE.JOINT.q. For controllers; empty for other roles, as the next ones. */
    VinciSliceSliceU8 dof_names;
    /* Where in q the coordinate of every degree of freedom stands, nv; NO_COORDINATE for rotations in space, which have none. */
    VinciSliceU32 dof_coordinate;
    /* Velocities along which the controller puts forces, in the order of its answer. */
    VinciSliceU32 efforts;
    /* Velocities whose drives the controller gives values, in the order of its answer. */
    VinciSliceU32 set_points;
    VinciSliceChannel channels;
} VinciSystemView;

/* Where a failing call puts its reason: memory of the caller, filled by the callee, UTF-8, cut where it does not fit. */
typedef struct VinciErrorText {
    /* Kind of refusal, see crate::codes::kind_code. */
    uint32_t kind;
    /* Bytes written. */
    uint32_t len;
    /* Bytes there is room for. */
    uint32_t capacity;
    /* Always zero. */
    uint32_t reserved;
    /* The room. */
    uint8_t *ptr;
} VinciErrorText;

/* Question of the host to a detector. */
typedef struct VinciDetectQuery {
    /* Simulation time, s. */
    double t;
    /* Poses of all bodies, static ones too: planar (x, y, θ), spatial (p, quaternion wxyz); 3 or 7 per body. */
    VinciSliceF64 pose;
    /* Active distance per body, m: report every feature pair of two bodies with gap ≤ margin_a + margin_b. */
    VinciSliceF64 margin;
    VinciSliceChannel channels;
} VinciDetectQuery;

/* Mirrors ContactKey; the layouts are the same, so arrays of them are borrowed, not copied. */
typedef struct VinciKey {
    /* Shape on side A. */
    uint32_t shape_a;
    /* Shape on side B. */
    uint32_t shape_b;
    /* Feature of shape A. */
    uint32_t feature_a;
    /* Feature of shape B. */
    uint32_t feature_b;
} VinciKey;

/* len values of T at ptr, borrowed. The pointer of an empty slice may be anything, null too. */
typedef struct VinciSliceKey {
    /* First element. */
    const VinciKey *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceKey;

/* Identities of contacts. */
typedef struct VinciKeys {
    /* The list. */
    VinciSliceKey list;
} VinciKeys;

/* Answer of a detector: n potential contacts, structure of arrays, world frame. */
typedef struct VinciRawContacts {
    /* Identity of every contact, n; no two alike. */
    VinciKeys key;
    /* Signed gaps ψ, n, m. */
    VinciSliceF64 gap;
    /* Unit normals A → B, 3n. */
    VinciSliceF64 normal;
    /* Points on A, 3n, m. */
    VinciSliceF64 point_a;
    /* Points on B, 3n, m. */
    VinciSliceF64 point_b;
    /* OR groups: contacts with the same non-zero number are alternatives (at least one gap ≥ 0), 0: none. Empty: no
     * groups. A contact counts as many times as it is reported: one that belongs to two groups needs two identities. */
    VinciSliceU32 group;
    VinciSliceChannel channels;
} VinciRawContacts;

/* The functions of a detector. */
typedef struct VinciDetectorV1 {
    /* Size of this struct, bytes. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Makes an instance from options and the system, which live during this call only; null on failure, with the reason in
     * error. The options are a JSON object without spaces, checked by the manifest's schema, with its defaults filled in. */
    void * (*create)(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error);
    /* Gives the bytes that must survive a checkpoint. Null, with load, where there are none. */
    int32_t (*save)(void *instance, VinciSliceU8 *out, VinciErrorText *error);
    /* Takes back what save gave, perhaps that of another instance; refuses what is not its own. */
    int32_t (*load)(void *instance, VinciSliceU8 bytes, VinciErrorText *error);
    /* A request by name, bytes in, bytes out; null where none is known. */
    int32_t (*extension)(void *instance, VinciSliceU8 id, VinciSliceU8 input, VinciSliceU8 *out, VinciErrorText *error);
    /* Ends an instance; its handle is dead whatever the return code. */
    int32_t (*destroy)(void *instance, VinciErrorText *error);
    /* Finds contacts. */
    int32_t (*detect)(void *instance, const VinciDetectQuery *query, VinciRawContacts *out, VinciErrorText *error);
} VinciDetectorV1;

typedef struct VinciSpaceCode {
    uint32_t code;
} VinciSpaceCode;

/* A sparse matrix by rows: mirrors Csr. */
typedef struct VinciMatrix {
    /* Number of columns. */
    size_t n_cols;
    /* Offsets of the rows, rows + 1; empty for a matrix without rows. */
    VinciSliceU32 row_start;
    /* Column of every entry. */
    VinciSliceU32 column;
    /* Value of every entry. */
    VinciSliceF64 value;
} VinciMatrix;

typedef struct VinciPairColumns {
    VinciSliceF64 friction;
    VinciSliceF64 restitution;
    VinciSliceF64 stiffness;
    VinciSliceF64 damping;
    VinciSliceF64 dissipation;
    VinciSliceChannel channels;
} VinciPairColumns;

/* Contacts as steppers see them: kinematics in generalized velocities. n contacts, n_t = 1 (planar) or 2 tangents. */
typedef struct VinciContacts {
    /* Tangent rows per contact. */
    size_t n_t;
    /* Identity, n. */
    VinciKeys key;
    /* Body on side A, n. */
    VinciSliceU32 body_a;
    /* Body on side B, n. */
    VinciSliceU32 body_b;
    /* Signed gaps ψ, m. */
    VinciSliceF64 gap;
    /* Unit normals A → B, world, 3n. */
    VinciSliceF64 normal;
    /* Unit tangents, world, 3 n n_t; planar: (−n_y, n_x). */
    VinciSliceF64 tangent;
    /* Points on A, 3n. */
    VinciSliceF64 point_a;
    /* Points on B, 3n. */
    VinciSliceF64 point_b;
    /* [Wnᵀ; Wtᵀ] by contact, (1 + n_t) n × nv. */
    VinciMatrix jacobian;
    /* Parameters of the pairs, n each: friction μ, restitution e, stiffness K in N/m (∞: rigid), … */
    VinciPairColumns pair;
    /* Last step's impulses (normal, tangents), (1 + n_t) n, N s; zero for new contacts. */
    VinciSliceF64 last_impulse;
    /* Steps since the contact was first reported, n; 0 = new. */
    VinciSliceU32 age;
    /* OR groups, n, or empty: at least one gap of a group is to be ≥ 0, and impulses act only at alternatives whose gap at
     * the end is the largest of the group. Only steppers with the capability or-groups see any; for others the host
     * keeps the most open alternative of every group. */
    VinciSliceU32 group;
    /* Sides of the squares that have the areas of patch nodes, m, n; 0 for contacts that are no nodes. The pair's stiffness and
     * damping are those of the area alone. Empty: no bodies of the system meet in patches. */
    VinciSliceF64 cell;
    VinciSliceChannel channels;
} VinciContacts;

/* Rows that are not contacts: joints, limits, drives with bounds. n rows. */
typedef struct VinciRows {
    /* J, n × nv. */
    VinciMatrix jacobian;
    /* Rate the row must cancel (∂Φ/∂t + (β/h) Φ for joints, ψ/h for limits), n. */
    VinciSliceF64 rate;
    /* Lower bounds of the impulses, n, N s. */
    VinciSliceF64 lower;
    /* Upper bounds of the impulses, n, N s. */
    VinciSliceF64 upper;
    VinciSliceChannel channels;
} VinciRows;

/* Support points of 2.5D parts: friction on a plane that the part lies on, under loads that are known. n points. */
typedef struct VinciSupports {
    /* J: velocity of every point along x and y, 2n × nv. The two rows of a point store the same columns. */
    VinciMatrix jacobian;
    /* Body of every point, n. */
    VinciSliceU32 body;
    /* Loads N_k, n, N. */
    VinciSliceF64 load;
    /* Largest friction force μ_k N_k, n, N. */
    VinciSliceF64 bound;
    /* World positions, 2n, m. */
    VinciSliceF64 point;
    /* Last step's impulses (x, y), 2n, N s. */
    VinciSliceF64 last_impulse;
    VinciSliceChannel channels;
} VinciSupports;

/* Everything a stepper sees of one step: a generalized system, never bodies. nv velocities in blocks. */
typedef struct VinciStepView {
    /* Number of the host step, from 0. */
    uint64_t step;
    /* Round within the step: 0 first, then one more after every Again or Redetect. */
    uint32_t pass;
    /* Attempt at this step: 0 first, then one more after every Retry. */
    uint32_t attempt;
    /* Time at the start, s. */
    double t;
    /* Step size, s. */
    double h;
    /* Planar or spatial (decides n_t). */
    VinciSpaceCode space;
    /* Tolerance wanted of the solver, relative natural map. */
    double tolerance;
    /* Positions at the start, nq. */
    VinciSliceF64 q;
    /* Velocities at the start, nv. */
    VinciSliceF64 v;
    /* First velocity of every block, blocks + 1 entries; body i is block i as long as there are no trees. */
    VinciSliceU32 block_start;
    /* First position coordinate of every block, blocks + 1 entries. */
    VinciSliceU32 q_start;
    /* Kind of every block (BlockKind codes). */
    VinciSliceU8 block_kind;
    /* Quaternions of trees: (first of the four in q, first of the three angular velocities in v) each, flattened. */
    VinciSliceU32 quaternion;
    /* Motion model of every block: 0 = the stepper's default, else crate::model::MotionModel codes. */
    VinciSliceU8 motion;
    /* Mass matrix M(q), dense symmetric blocks one after another, kg, kg m². */
    VinciSliceF64 mass;
    /* Damping matrix D of the first-order model, blocks like mass; all zero where none was given. */
    VinciSliceF64 drag;
    /* Explicit non-contact forces f(t, q, v) with gravity, drives and springs, nv. */
    VinciSliceF64 force;
    /* Velocity-product forces (gyroscopic torque, Coriolis terms of trees), nv; only dynamic blocks feel them. */
    VinciSliceF64 bias;
    /* −∂f/∂q N of the implicit springs, nv × nv, symmetric positive semidefinite; may have no rows. */
    VinciMatrix stiffness;
    /* −∂f/∂v of the implicit dampers, nv × nv, symmetric positive semidefinite; may have no rows. */
    VinciMatrix viscosity;
    /* Role of every velocity (crate::model::DofRole codes), nv. */
    VinciSliceU8 role;
    /* Velocity that takes a prescribed dof to its place at t + h, m/s, nv (0 elsewhere). For impedance dofs:
     * (commanded place at t + h − q)/h. */
    VinciSliceF64 command;
    /* Stiffness of impedance dofs, nv, N/m (0 elsewhere). */
    VinciSliceF64 impedance;
    /* Contacts. */
    VinciContacts contacts;
    /* Other rows. */
    VinciRows rows;
    /* J of the other rows at q ⊕ (h/2) N v: where impulses act under a stepper of second order; empty for others. */
    VinciMatrix rows_middle;
    /* J of the other rows at q ⊕ h N v: what the velocities at the end must obey under a stepper of second order. */
    VinciMatrix rows_end;
    /* Support points of 2.5D parts. */
    VinciSupports supports;
    /* Rate of force along the motion beyond what stiffness accounts for, nv, N/s: of drives
     * (f(t + h, q ⊕ h N v, v) − f(t, q, v))/h, of springs and films the turning of their directions and levers. Only for
     * steppers with capability order-2, empty for others. */
    VinciSliceF64 force_rate;
    /* Velocities of prescribed dofs at t + h as their drives have them there, nv (0 elsewhere), where command is the mean
     * over the step; their velocities at t stand in v. Only for steppers with capability drive-speeds, empty for others. */
    VinciSliceF64 drive_speed;
    VinciSliceChannel channels;
} VinciStepView;

/* len writable values of T at ptr, borrowed. */
typedef struct VinciSliceMutF64 {
    /* First element. */
    double *ptr;
    /* Number of elements. */
    size_t len;
} VinciSliceMutF64;

/* One function called back while a problem is solved: call(ctx, what, input, output, error) gives a return code. */
typedef struct VinciOracleView {
    /* First argument of call. */
    const void *ctx;
    /* The function; null where the class has none. */
    int32_t (*call)(const void *, uint32_t, VinciSliceF64, VinciSliceMutF64, VinciErrorText *);
} VinciOracleView;

/* A problem of any class: see channel for the numbers of its arrays. */
typedef struct VinciProblemView {
    /* Code of the ProblemClass. */
    uint32_t class_;
    /* Number of unknowns. */
    uint32_t n;
    /* Wanted tolerance. */
    double tolerance;
    /* The arrays. */
    VinciSliceChannel channels;
    /* The function called back. */
    VinciOracleView oracle;
} VinciProblemView;

typedef struct VinciStatusCode {
    uint32_t code;
} VinciStatusCode;

/* Answer of a solver, borrowed from it until its next call. */
typedef struct VinciSolutionView {
    /* How it ended. */
    VinciStatusCode status;
    /* Iterations (pivots, sweeps, Newton steps, nodes). */
    uint32_t iterations;
    /* Factorisations made. */
    uint32_t factorizations;
    /* The solver's own residual, informative only. */
    double residual;
    /* Qpcc: lower bound of the objective over all modes, by the solver's claim; −∞ or NaN where nothing is proved, NaN where the
     * class has none, never +∞. What core checks of a converged answer: x is lawful, the best of its mode, and its
     * objective is the bound up to super::Qpcc::gap_allowed; that the bound holds for all modes is not looked at. */
    double bound;
    /* Primal unknowns, as many as the problem has. Best iterate found when not converged. */
    VinciSliceF64 z;
    /* Dual unknowns where the class has them (empty otherwise). */
    VinciSliceF64 dual;
    /* Proof or ray, or empty. Mlcp: as long as z. Conic: y (m) for Infeasible, d (n) for Unbounded. Qpcc: a list of leaves
     * (super::proves_no_mode). */
    VinciSliceF64 certificate;
    /* Human-readable detail (regularisation used, where it stopped); may be empty. */
    VinciText note;
    VinciSliceChannel channels;
} VinciSolutionView;

typedef struct VinciVerdictCode {
    uint32_t code;
} VinciVerdictCode;

/* A stepper's answer to a solution, borrowed from it until its next call. */
typedef struct VinciUpdateView {
    /* Request to the host. */
    VinciVerdictCode verdict;
    /* Accept: the step taken, s. May be less than asked for (the host goes on with the rest). Evaluate: time after the
     * step's start, s, 0 … h. */
    double h_used;
    /* Retry: step to try. Accept: suggestion for the next step, or 0. Evaluate: where what was tried so far did not come out and
     * is given up for a shorter step, that step (the host counts it); else 0. */
    double h_next;
    /* Accept, Impact: v⁺, nv. Evaluate: velocities to evaluate at. */
    VinciSliceF64 v;
    /* Accept: q⁺, nq, or empty for q ⊕ h N v⁺. Redetect, Evaluate: configuration to detect at. */
    VinciSliceF64 q;
    /* Accept, Impact: contact impulses (normal, tangents in the contact's basis), (1 + n_t) n, N s. */
    VinciSliceF64 impulse;
    /* Accept: impulses of the other rows, N s. */
    VinciSliceF64 row_impulse;
    /* Accept: impulses of the support points (x, y), 2 per point, N s. */
    VinciSliceF64 support_impulse;
    /* Accept: drive effort on prescribed dofs, as impulse over the step, nv, N s (0 elsewhere). */
    VinciSliceF64 effort;
    /* Accept: the whole constant c of every contact's normal row as used in 0 ≤ p_n ⟂ Wnᵀ v⁺ + c ≥ 0
     * m/s; +∞ where the contact was left out. The referee judges complementarity against it. */
    VinciSliceF64 normal_rate;
    /* Accept: what is to be added to Wtᵀ v⁺ to have the slip of the touching surfaces, n_t n, m/s: where layers
     * deform, (δ_t⁺ − δ_t)/h. Friction is judged by that slip. Empty: nothing. */
    VinciSliceF64 slip_rate;
    /* Accept: motion model used per block (crate::model::MotionModel codes); the referee judges momentum by it. */
    VinciSliceU8 motion;
    /* Accept: factor on the mass matrix of every block in the balance that was used, where it is not 1 (the scaled masses of
     * quasi-dynamic steps); the referee judges momentum by it. Empty: 1 everywhere. */
    VinciSliceF64 mass_scale;
    /* Accept: derivatives of the step where the stepper has them, nv × 2 nv by rows: h ∂v⁺/∂u, u the commanded displacement
     * over the step (m, rad; columns of dofs without a command are 0), then ∂q⁺/∂q as a map of displacements (rotations: rotation vectors in world axes). Or
     * empty. */
    VinciSliceF64 gradient;
    /* Fail or Retry: one sentence. */
    VinciText reason;
    VinciSliceChannel channels;
} VinciUpdateView;

/* The functions of a stepper. */
typedef struct VinciStepperV1 {
    /* Size of this struct, bytes. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Makes an instance from options and the system, which live during this call only; null on failure, with the reason in
     * error. The options are a JSON object without spaces, checked by the manifest's schema, with its defaults filled in. */
    void * (*create)(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error);
    /* Gives the bytes that must survive a checkpoint. Null, with load, where there are none. */
    int32_t (*save)(void *instance, VinciSliceU8 *out, VinciErrorText *error);
    /* Takes back what save gave, perhaps that of another instance; refuses what is not its own. */
    int32_t (*load)(void *instance, VinciSliceU8 bytes, VinciErrorText *error);
    /* A request by name, bytes in, bytes out; null where none is known. */
    int32_t (*extension)(void *instance, VinciSliceU8 id, VinciSliceU8 input, VinciSliceU8 *out, VinciErrorText *error);
    /* Ends an instance; its handle is dead whatever the return code. */
    int32_t (*destroy)(void *instance, VinciErrorText *error);
    /* Gives the problem of a step. */
    int32_t (*formulate)(void *instance, const VinciStepView *step, VinciProblemView *out, VinciErrorText *error);
    /* Says what follows from its solution. */
    int32_t (*update)(void *instance, const VinciStepView *step, const VinciSolutionView *solution, VinciUpdateView *out, VinciErrorText *error);
} VinciStepperV1;

/* The functions of a solver. */
typedef struct VinciSolverV1 {
    /* Size of this struct, bytes. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Makes an instance from options and the system, which live during this call only; null on failure, with the reason in
     * error. The options are a JSON object without spaces, checked by the manifest's schema, with its defaults filled in. */
    void * (*create)(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error);
    /* Gives the bytes that must survive a checkpoint. Null, with load, where there are none. */
    int32_t (*save)(void *instance, VinciSliceU8 *out, VinciErrorText *error);
    /* Takes back what save gave, perhaps that of another instance; refuses what is not its own. */
    int32_t (*load)(void *instance, VinciSliceU8 bytes, VinciErrorText *error);
    /* A request by name, bytes in, bytes out; null where none is known. */
    int32_t (*extension)(void *instance, VinciSliceU8 id, VinciSliceU8 input, VinciSliceU8 *out, VinciErrorText *error);
    /* Ends an instance; its handle is dead whatever the return code. */
    int32_t (*destroy)(void *instance, VinciErrorText *error);
    /* Solves one problem. */
    int32_t (*solve)(void *instance, const VinciProblemView *problem, VinciSolutionView *out, VinciErrorText *error);
} VinciSolverV1;

/* A grid time of a run as a controller sees it when it is asked, ahead of the step that begins there. */
typedef struct VinciControlView {
    /* Number of the grid time, from 0. */
    uint64_t grid;
    /* Time, s. */
    double t;
    /* Step of the grid, s. */
    double h;
    /* Time until the controller is asked again, s: so long its answer holds. A whole number of grid steps. */
    double period;
    /* Size of the step that the last impulses of the contacts are of, s; 0 before the first step. Contact forces are impulses over it. */
    double h_last;
    /* Planar or spatial. */
    VinciSpaceCode space;
    /* Positions, nq. */
    VinciSliceF64 q;
    /* Velocities, nv. */
    VinciSliceF64 v;
    /* First velocity of every block, blocks + 1 entries. */
    VinciSliceU32 block_start;
    /* First position coordinate of every block, blocks + 1 entries. */
    VinciSliceU32 q_start;
    /* Kind of every block (crate::state::BlockKind codes). */
    VinciSliceU8 block_kind;
    /* Quaternions of trees: (first of the four in q, first of the three angular velocities in v) each, flattened. */
    VinciSliceU32 quaternion;
    /* Poses of all bodies, links and static ones too, world: planar (x, y, θ), spatial (p, quaternion wxyz); 3 or 7 per body. */
    VinciSliceF64 pose;
    /* Velocities of all bodies, world: of the centre of mass, m/s, then angular, rad/s; 3 or 6 per body. */
    VinciSliceF64 twist;
    /* Mass matrix M(q), dense symmetric blocks one after another, kg, kg m². */
    VinciSliceF64 mass;
    /* Non-contact forces f(t, q, v): gravity, springs, drives and the laws of the scene, without those of plugins, nv, N and N m. */
    VinciSliceF64 force;
    /* Velocity-product forces (gyroscopic torque, Coriolis terms of trees), nv; they stand beside f in M v̇ = f + bias. */
    VinciSliceF64 bias;
    /* Reference of every effort, then of every set-point: place, rate and acceleration, 3 (m + n); 0 where there is none. */
    VinciSliceF64 reference;
    /* 1 for every effort and every set-point that has a reference, else 0; m + n. */
    VinciSliceU8 has_reference;
    /* Contacts here, with the impulses of the last step. */
    VinciContacts contacts;
    VinciSliceChannel channels;
} VinciControlView;

/* A controller's answer, borrowed from it until its next call; it holds until the controller is asked again. */
typedef struct VinciCommands {
    /* Generalised forces along the velocities of crate::model::SystemView::efforts, m, N and N m. */
    VinciSliceF64 effort;
    /* Values of the drives of crate::model::SystemView::set_points, n: a place, a velocity or a force, as the drive is. */
    VinciSliceF64 set_point;
    VinciSliceChannel channels;
} VinciCommands;

/* The functions of a controller. */
typedef struct VinciControllerV1 {
    /* Size of this struct, bytes. */
    uint32_t size;
    /* Zero. */
    uint32_t reserved;
    /* Makes an instance from options and the system, which live during this call only; null on failure, with the reason in
     * error. The options are a JSON object without spaces, checked by the manifest's schema, with its defaults filled in. */
    void * (*create)(VinciSliceU8 options, const VinciSystemView *system, VinciErrorText *error);
    /* Gives the bytes that must survive a checkpoint. Null, with load, where there are none. */
    int32_t (*save)(void *instance, VinciSliceU8 *out, VinciErrorText *error);
    /* Takes back what save gave, perhaps that of another instance; refuses what is not its own. */
    int32_t (*load)(void *instance, VinciSliceU8 bytes, VinciErrorText *error);
    /* A request by name, bytes in, bytes out; null where none is known. */
    int32_t (*extension)(void *instance, VinciSliceU8 id, VinciSliceU8 input, VinciSliceU8 *out, VinciErrorText *error);
    /* Ends an instance; its handle is dead whatever the return code. */
    int32_t (*destroy)(void *instance, VinciErrorText *error);
    /* Gives efforts and set-points until the next call. */
    int32_t (*control)(void *instance, const VinciControlView *view, VinciCommands *out, VinciErrorText *error);
} VinciControllerV1;

/* The exported table vinci_plugin_v1: what a library offers. Everything it points to lives as long as the library. */
typedef struct VinciPluginV1 {
    /* Size of this struct, bytes: sizeof(VinciPluginV1). */
    uint32_t size;
    /* The contract that the header describes: VINCI_CONTRACT_VERSION. */
    uint32_t contract;
    /* Gives the manifests of all roles: a JSON list of objects, that lives as long as the library. */
    VinciText (*manifest)(void);
    /* Takes the host's services, once, before anything is created; gives a return code. May be null. */
    int32_t (*init)(const VinciHostServices *services);
    /* The detector, or null. */
    const VinciDetectorV1 *detector;
    /* The stepper, or null. */
    const VinciStepperV1 *stepper;
    /* The solver, or null. */
    const VinciSolverV1 *solver;
    /* The controller, or null. */
    const VinciControllerV1 *controller;
} VinciPluginV1;

/* Sizes and offsets that the host has, bytes: the compiler compares them with its own. */
#if UINTPTR_MAX == 0xffffffffffffffffu
#ifdef __cplusplus
#define VINCI_HOLDS(x) static_assert(x, #x)
#else
#define VINCI_HOLDS(x) _Static_assert(x, #x)
#endif
VINCI_HOLDS(sizeof(VinciSliceU8) == 16);
VINCI_HOLDS(offsetof(VinciSliceU8, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceU8, len) == 8);
VINCI_HOLDS(sizeof(VinciText) == 16);
VINCI_HOLDS(offsetof(VinciText, bytes) == 0);
VINCI_HOLDS(sizeof(VinciHostServices) == 32);
VINCI_HOLDS(offsetof(VinciHostServices, ctx) == 0);
VINCI_HOLDS(offsetof(VinciHostServices, max_level) == 8);
VINCI_HOLDS(offsetof(VinciHostServices, reserved) == 12);
VINCI_HOLDS(offsetof(VinciHostServices, log) == 16);
VINCI_HOLDS(offsetof(VinciHostServices, interface) == 24);
VINCI_HOLDS(sizeof(VinciSliceSliceU8) == 16);
VINCI_HOLDS(offsetof(VinciSliceSliceU8, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceSliceU8, len) == 8);
VINCI_HOLDS(sizeof(VinciSliceF64) == 16);
VINCI_HOLDS(offsetof(VinciSliceF64, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceF64, len) == 8);
VINCI_HOLDS(sizeof(VinciSliceU32) == 16);
VINCI_HOLDS(offsetof(VinciSliceU32, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceU32, len) == 8);
VINCI_HOLDS(sizeof(VinciShapeView) == 56);
VINCI_HOLDS(offsetof(VinciShapeView, kind) == 0);
VINCI_HOLDS(offsetof(VinciShapeView, body) == 4);
VINCI_HOLDS(offsetof(VinciShapeView, pose) == 8);
VINCI_HOLDS(offsetof(VinciShapeView, params) == 24);
VINCI_HOLDS(offsetof(VinciShapeView, indices) == 40);
VINCI_HOLDS(sizeof(VinciSliceShapeView) == 16);
VINCI_HOLDS(offsetof(VinciSliceShapeView, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceShapeView, len) == 8);
VINCI_HOLDS(sizeof(VinciChannel) == 64);
VINCI_HOLDS(offsetof(VinciChannel, id) == 0);
VINCI_HOLDS(offsetof(VinciChannel, rows) == 4);
VINCI_HOLDS(offsetof(VinciChannel, cols) == 8);
VINCI_HOLDS(offsetof(VinciChannel, reserved) == 12);
VINCI_HOLDS(offsetof(VinciChannel, f) == 16);
VINCI_HOLDS(offsetof(VinciChannel, i) == 32);
VINCI_HOLDS(offsetof(VinciChannel, j) == 48);
VINCI_HOLDS(sizeof(VinciSliceChannel) == 16);
VINCI_HOLDS(offsetof(VinciSliceChannel, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceChannel, len) == 8);
VINCI_HOLDS(sizeof(VinciSystemView) == 176);
VINCI_HOLDS(offsetof(VinciSystemView, space) == 0);
VINCI_HOLDS(offsetof(VinciSystemView, nv) == 4);
VINCI_HOLDS(offsetof(VinciSystemView, nq) == 8);
VINCI_HOLDS(offsetof(VinciSystemView, accepted) == 12);
VINCI_HOLDS(offsetof(VinciSystemView, body_names) == 16);
VINCI_HOLDS(offsetof(VinciSystemView, is_static) == 32);
VINCI_HOLDS(offsetof(VinciSystemView, shapes) == 48);
VINCI_HOLDS(offsetof(VinciSystemView, ignored_pairs) == 64);
VINCI_HOLDS(offsetof(VinciSystemView, driven) == 80);
VINCI_HOLDS(offsetof(VinciSystemView, dof_names) == 96);
VINCI_HOLDS(offsetof(VinciSystemView, dof_coordinate) == 112);
VINCI_HOLDS(offsetof(VinciSystemView, efforts) == 128);
VINCI_HOLDS(offsetof(VinciSystemView, set_points) == 144);
VINCI_HOLDS(offsetof(VinciSystemView, channels) == 160);
VINCI_HOLDS(sizeof(VinciErrorText) == 24);
VINCI_HOLDS(offsetof(VinciErrorText, kind) == 0);
VINCI_HOLDS(offsetof(VinciErrorText, len) == 4);
VINCI_HOLDS(offsetof(VinciErrorText, capacity) == 8);
VINCI_HOLDS(offsetof(VinciErrorText, reserved) == 12);
VINCI_HOLDS(offsetof(VinciErrorText, ptr) == 16);
VINCI_HOLDS(sizeof(VinciDetectQuery) == 56);
VINCI_HOLDS(offsetof(VinciDetectQuery, t) == 0);
VINCI_HOLDS(offsetof(VinciDetectQuery, pose) == 8);
VINCI_HOLDS(offsetof(VinciDetectQuery, margin) == 24);
VINCI_HOLDS(offsetof(VinciDetectQuery, channels) == 40);
VINCI_HOLDS(sizeof(VinciKey) == 16);
VINCI_HOLDS(offsetof(VinciKey, shape_a) == 0);
VINCI_HOLDS(offsetof(VinciKey, shape_b) == 4);
VINCI_HOLDS(offsetof(VinciKey, feature_a) == 8);
VINCI_HOLDS(offsetof(VinciKey, feature_b) == 12);
VINCI_HOLDS(sizeof(VinciSliceKey) == 16);
VINCI_HOLDS(offsetof(VinciSliceKey, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceKey, len) == 8);
VINCI_HOLDS(sizeof(VinciKeys) == 16);
VINCI_HOLDS(offsetof(VinciKeys, list) == 0);
VINCI_HOLDS(sizeof(VinciRawContacts) == 112);
VINCI_HOLDS(offsetof(VinciRawContacts, key) == 0);
VINCI_HOLDS(offsetof(VinciRawContacts, gap) == 16);
VINCI_HOLDS(offsetof(VinciRawContacts, normal) == 32);
VINCI_HOLDS(offsetof(VinciRawContacts, point_a) == 48);
VINCI_HOLDS(offsetof(VinciRawContacts, point_b) == 64);
VINCI_HOLDS(offsetof(VinciRawContacts, group) == 80);
VINCI_HOLDS(offsetof(VinciRawContacts, channels) == 96);
VINCI_HOLDS(sizeof(VinciDetectorV1) == 56);
VINCI_HOLDS(offsetof(VinciDetectorV1, size) == 0);
VINCI_HOLDS(offsetof(VinciDetectorV1, reserved) == 4);
VINCI_HOLDS(offsetof(VinciDetectorV1, create) == 8);
VINCI_HOLDS(offsetof(VinciDetectorV1, save) == 16);
VINCI_HOLDS(offsetof(VinciDetectorV1, load) == 24);
VINCI_HOLDS(offsetof(VinciDetectorV1, extension) == 32);
VINCI_HOLDS(offsetof(VinciDetectorV1, destroy) == 40);
VINCI_HOLDS(offsetof(VinciDetectorV1, detect) == 48);
VINCI_HOLDS(sizeof(VinciSpaceCode) == 4);
VINCI_HOLDS(offsetof(VinciSpaceCode, code) == 0);
VINCI_HOLDS(sizeof(VinciMatrix) == 56);
VINCI_HOLDS(offsetof(VinciMatrix, n_cols) == 0);
VINCI_HOLDS(offsetof(VinciMatrix, row_start) == 8);
VINCI_HOLDS(offsetof(VinciMatrix, column) == 24);
VINCI_HOLDS(offsetof(VinciMatrix, value) == 40);
VINCI_HOLDS(sizeof(VinciPairColumns) == 96);
VINCI_HOLDS(offsetof(VinciPairColumns, friction) == 0);
VINCI_HOLDS(offsetof(VinciPairColumns, restitution) == 16);
VINCI_HOLDS(offsetof(VinciPairColumns, stiffness) == 32);
VINCI_HOLDS(offsetof(VinciPairColumns, damping) == 48);
VINCI_HOLDS(offsetof(VinciPairColumns, dissipation) == 64);
VINCI_HOLDS(offsetof(VinciPairColumns, channels) == 80);
VINCI_HOLDS(sizeof(VinciContacts) == 368);
VINCI_HOLDS(offsetof(VinciContacts, n_t) == 0);
VINCI_HOLDS(offsetof(VinciContacts, key) == 8);
VINCI_HOLDS(offsetof(VinciContacts, body_a) == 24);
VINCI_HOLDS(offsetof(VinciContacts, body_b) == 40);
VINCI_HOLDS(offsetof(VinciContacts, gap) == 56);
VINCI_HOLDS(offsetof(VinciContacts, normal) == 72);
VINCI_HOLDS(offsetof(VinciContacts, tangent) == 88);
VINCI_HOLDS(offsetof(VinciContacts, point_a) == 104);
VINCI_HOLDS(offsetof(VinciContacts, point_b) == 120);
VINCI_HOLDS(offsetof(VinciContacts, jacobian) == 136);
VINCI_HOLDS(offsetof(VinciContacts, pair) == 192);
VINCI_HOLDS(offsetof(VinciContacts, last_impulse) == 288);
VINCI_HOLDS(offsetof(VinciContacts, age) == 304);
VINCI_HOLDS(offsetof(VinciContacts, group) == 320);
VINCI_HOLDS(offsetof(VinciContacts, cell) == 336);
VINCI_HOLDS(offsetof(VinciContacts, channels) == 352);
VINCI_HOLDS(sizeof(VinciRows) == 120);
VINCI_HOLDS(offsetof(VinciRows, jacobian) == 0);
VINCI_HOLDS(offsetof(VinciRows, rate) == 56);
VINCI_HOLDS(offsetof(VinciRows, lower) == 72);
VINCI_HOLDS(offsetof(VinciRows, upper) == 88);
VINCI_HOLDS(offsetof(VinciRows, channels) == 104);
VINCI_HOLDS(sizeof(VinciSupports) == 152);
VINCI_HOLDS(offsetof(VinciSupports, jacobian) == 0);
VINCI_HOLDS(offsetof(VinciSupports, body) == 56);
VINCI_HOLDS(offsetof(VinciSupports, load) == 72);
VINCI_HOLDS(offsetof(VinciSupports, bound) == 88);
VINCI_HOLDS(offsetof(VinciSupports, point) == 104);
VINCI_HOLDS(offsetof(VinciSupports, last_impulse) == 120);
VINCI_HOLDS(offsetof(VinciSupports, channels) == 136);
VINCI_HOLDS(sizeof(VinciStepView) == 1184);
VINCI_HOLDS(offsetof(VinciStepView, step) == 0);
VINCI_HOLDS(offsetof(VinciStepView, pass) == 8);
VINCI_HOLDS(offsetof(VinciStepView, attempt) == 12);
VINCI_HOLDS(offsetof(VinciStepView, t) == 16);
VINCI_HOLDS(offsetof(VinciStepView, h) == 24);
VINCI_HOLDS(offsetof(VinciStepView, space) == 32);
VINCI_HOLDS(offsetof(VinciStepView, tolerance) == 40);
VINCI_HOLDS(offsetof(VinciStepView, q) == 48);
VINCI_HOLDS(offsetof(VinciStepView, v) == 64);
VINCI_HOLDS(offsetof(VinciStepView, block_start) == 80);
VINCI_HOLDS(offsetof(VinciStepView, q_start) == 96);
VINCI_HOLDS(offsetof(VinciStepView, block_kind) == 112);
VINCI_HOLDS(offsetof(VinciStepView, quaternion) == 128);
VINCI_HOLDS(offsetof(VinciStepView, motion) == 144);
VINCI_HOLDS(offsetof(VinciStepView, mass) == 160);
VINCI_HOLDS(offsetof(VinciStepView, drag) == 176);
VINCI_HOLDS(offsetof(VinciStepView, force) == 192);
VINCI_HOLDS(offsetof(VinciStepView, bias) == 208);
VINCI_HOLDS(offsetof(VinciStepView, stiffness) == 224);
VINCI_HOLDS(offsetof(VinciStepView, viscosity) == 280);
VINCI_HOLDS(offsetof(VinciStepView, role) == 336);
VINCI_HOLDS(offsetof(VinciStepView, command) == 352);
VINCI_HOLDS(offsetof(VinciStepView, impedance) == 368);
VINCI_HOLDS(offsetof(VinciStepView, contacts) == 384);
VINCI_HOLDS(offsetof(VinciStepView, rows) == 752);
VINCI_HOLDS(offsetof(VinciStepView, rows_middle) == 872);
VINCI_HOLDS(offsetof(VinciStepView, rows_end) == 928);
VINCI_HOLDS(offsetof(VinciStepView, supports) == 984);
VINCI_HOLDS(offsetof(VinciStepView, force_rate) == 1136);
VINCI_HOLDS(offsetof(VinciStepView, drive_speed) == 1152);
VINCI_HOLDS(offsetof(VinciStepView, channels) == 1168);
VINCI_HOLDS(sizeof(VinciSliceMutF64) == 16);
VINCI_HOLDS(offsetof(VinciSliceMutF64, ptr) == 0);
VINCI_HOLDS(offsetof(VinciSliceMutF64, len) == 8);
VINCI_HOLDS(sizeof(VinciOracleView) == 16);
VINCI_HOLDS(offsetof(VinciOracleView, ctx) == 0);
VINCI_HOLDS(offsetof(VinciOracleView, call) == 8);
VINCI_HOLDS(sizeof(VinciProblemView) == 48);
VINCI_HOLDS(offsetof(VinciProblemView, class_) == 0);
VINCI_HOLDS(offsetof(VinciProblemView, n) == 4);
VINCI_HOLDS(offsetof(VinciProblemView, tolerance) == 8);
VINCI_HOLDS(offsetof(VinciProblemView, channels) == 16);
VINCI_HOLDS(offsetof(VinciProblemView, oracle) == 32);
VINCI_HOLDS(sizeof(VinciStatusCode) == 4);
VINCI_HOLDS(offsetof(VinciStatusCode, code) == 0);
VINCI_HOLDS(sizeof(VinciSolutionView) == 112);
VINCI_HOLDS(offsetof(VinciSolutionView, status) == 0);
VINCI_HOLDS(offsetof(VinciSolutionView, iterations) == 4);
VINCI_HOLDS(offsetof(VinciSolutionView, factorizations) == 8);
VINCI_HOLDS(offsetof(VinciSolutionView, residual) == 16);
VINCI_HOLDS(offsetof(VinciSolutionView, bound) == 24);
VINCI_HOLDS(offsetof(VinciSolutionView, z) == 32);
VINCI_HOLDS(offsetof(VinciSolutionView, dual) == 48);
VINCI_HOLDS(offsetof(VinciSolutionView, certificate) == 64);
VINCI_HOLDS(offsetof(VinciSolutionView, note) == 80);
VINCI_HOLDS(offsetof(VinciSolutionView, channels) == 96);
VINCI_HOLDS(sizeof(VinciVerdictCode) == 4);
VINCI_HOLDS(offsetof(VinciVerdictCode, code) == 0);
VINCI_HOLDS(sizeof(VinciUpdateView) == 232);
VINCI_HOLDS(offsetof(VinciUpdateView, verdict) == 0);
VINCI_HOLDS(offsetof(VinciUpdateView, h_used) == 8);
VINCI_HOLDS(offsetof(VinciUpdateView, h_next) == 16);
VINCI_HOLDS(offsetof(VinciUpdateView, v) == 24);
VINCI_HOLDS(offsetof(VinciUpdateView, q) == 40);
VINCI_HOLDS(offsetof(VinciUpdateView, impulse) == 56);
VINCI_HOLDS(offsetof(VinciUpdateView, row_impulse) == 72);
VINCI_HOLDS(offsetof(VinciUpdateView, support_impulse) == 88);
VINCI_HOLDS(offsetof(VinciUpdateView, effort) == 104);
VINCI_HOLDS(offsetof(VinciUpdateView, normal_rate) == 120);
VINCI_HOLDS(offsetof(VinciUpdateView, slip_rate) == 136);
VINCI_HOLDS(offsetof(VinciUpdateView, motion) == 152);
VINCI_HOLDS(offsetof(VinciUpdateView, mass_scale) == 168);
VINCI_HOLDS(offsetof(VinciUpdateView, gradient) == 184);
VINCI_HOLDS(offsetof(VinciUpdateView, reason) == 200);
VINCI_HOLDS(offsetof(VinciUpdateView, channels) == 216);
VINCI_HOLDS(sizeof(VinciStepperV1) == 64);
VINCI_HOLDS(offsetof(VinciStepperV1, size) == 0);
VINCI_HOLDS(offsetof(VinciStepperV1, reserved) == 4);
VINCI_HOLDS(offsetof(VinciStepperV1, create) == 8);
VINCI_HOLDS(offsetof(VinciStepperV1, save) == 16);
VINCI_HOLDS(offsetof(VinciStepperV1, load) == 24);
VINCI_HOLDS(offsetof(VinciStepperV1, extension) == 32);
VINCI_HOLDS(offsetof(VinciStepperV1, destroy) == 40);
VINCI_HOLDS(offsetof(VinciStepperV1, formulate) == 48);
VINCI_HOLDS(offsetof(VinciStepperV1, update) == 56);
VINCI_HOLDS(sizeof(VinciSolverV1) == 56);
VINCI_HOLDS(offsetof(VinciSolverV1, size) == 0);
VINCI_HOLDS(offsetof(VinciSolverV1, reserved) == 4);
VINCI_HOLDS(offsetof(VinciSolverV1, create) == 8);
VINCI_HOLDS(offsetof(VinciSolverV1, save) == 16);
VINCI_HOLDS(offsetof(VinciSolverV1, load) == 24);
VINCI_HOLDS(offsetof(VinciSolverV1, extension) == 32);
VINCI_HOLDS(offsetof(VinciSolverV1, destroy) == 40);
VINCI_HOLDS(offsetof(VinciSolverV1, solve) == 48);
VINCI_HOLDS(sizeof(VinciControlView) == 640);
VINCI_HOLDS(offsetof(VinciControlView, grid) == 0);
VINCI_HOLDS(offsetof(VinciControlView, t) == 8);
VINCI_HOLDS(offsetof(VinciControlView, h) == 16);
VINCI_HOLDS(offsetof(VinciControlView, period) == 24);
VINCI_HOLDS(offsetof(VinciControlView, h_last) == 32);
VINCI_HOLDS(offsetof(VinciControlView, space) == 40);
VINCI_HOLDS(offsetof(VinciControlView, q) == 48);
VINCI_HOLDS(offsetof(VinciControlView, v) == 64);
VINCI_HOLDS(offsetof(VinciControlView, block_start) == 80);
VINCI_HOLDS(offsetof(VinciControlView, q_start) == 96);
VINCI_HOLDS(offsetof(VinciControlView, block_kind) == 112);
VINCI_HOLDS(offsetof(VinciControlView, quaternion) == 128);
VINCI_HOLDS(offsetof(VinciControlView, pose) == 144);
VINCI_HOLDS(offsetof(VinciControlView, twist) == 160);
VINCI_HOLDS(offsetof(VinciControlView, mass) == 176);
VINCI_HOLDS(offsetof(VinciControlView, force) == 192);
VINCI_HOLDS(offsetof(VinciControlView, bias) == 208);
VINCI_HOLDS(offsetof(VinciControlView, reference) == 224);
VINCI_HOLDS(offsetof(VinciControlView, has_reference) == 240);
VINCI_HOLDS(offsetof(VinciControlView, contacts) == 256);
VINCI_HOLDS(offsetof(VinciControlView, channels) == 624);
VINCI_HOLDS(sizeof(VinciCommands) == 48);
VINCI_HOLDS(offsetof(VinciCommands, effort) == 0);
VINCI_HOLDS(offsetof(VinciCommands, set_point) == 16);
VINCI_HOLDS(offsetof(VinciCommands, channels) == 32);
VINCI_HOLDS(sizeof(VinciControllerV1) == 56);
VINCI_HOLDS(offsetof(VinciControllerV1, size) == 0);
VINCI_HOLDS(offsetof(VinciControllerV1, reserved) == 4);
VINCI_HOLDS(offsetof(VinciControllerV1, create) == 8);
VINCI_HOLDS(offsetof(VinciControllerV1, save) == 16);
VINCI_HOLDS(offsetof(VinciControllerV1, load) == 24);
VINCI_HOLDS(offsetof(VinciControllerV1, extension) == 32);
VINCI_HOLDS(offsetof(VinciControllerV1, destroy) == 40);
VINCI_HOLDS(offsetof(VinciControllerV1, control) == 48);
VINCI_HOLDS(sizeof(VinciPluginV1) == 56);
VINCI_HOLDS(offsetof(VinciPluginV1, size) == 0);
VINCI_HOLDS(offsetof(VinciPluginV1, contract) == 4);
VINCI_HOLDS(offsetof(VinciPluginV1, manifest) == 8);
VINCI_HOLDS(offsetof(VinciPluginV1, init) == 16);
VINCI_HOLDS(offsetof(VinciPluginV1, detector) == 24);
VINCI_HOLDS(offsetof(VinciPluginV1, stepper) == 32);
VINCI_HOLDS(offsetof(VinciPluginV1, solver) == 40);
VINCI_HOLDS(offsetof(VinciPluginV1, controller) == 48);
#undef VINCI_HOLDS
#endif

/* The one symbol that a plugin exports. */
extern VINCI_EXPORT const VinciPluginV1 vinci_plugin_v1;

#ifdef __cplusplus
}
#endif

#endif
