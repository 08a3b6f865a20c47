// Programs for the graphics processor. An instance is a mesh at a position, turned (w first), scaled, coloured.

const INSTANCE = `#version 300 es
layout(location=2) in vec3 iPosition;
layout(location=3) in vec4 iTurn;
layout(location=4) in vec3 iScale;
layout(location=5) in vec4 iColour;
uniform mat4 uView;
vec3 turned(vec3 v) {
  vec3 t = 2.0 * cross(iTurn.yzw, v);
  return v + iTurn.x * t + cross(iTurn.yzw, t);
}
vec3 world(vec3 p) { return iPosition + turned(p * iScale); }
`;

export const FACES = {
  vertex: `${INSTANCE}
layout(location=0) in vec3 aPosition;
layout(location=1) in vec3 aNormal;
out vec3 vNormal;
out vec3 vLocal;
out vec3 vWorld;
out vec4 vColour;
void main() {
  vec3 p = world(aPosition);
  // Normals are scaled inversely: they stay normal to the surface.
  vNormal = turned(aNormal / iScale);
  vLocal = aPosition;
  vWorld = p;
  vColour = iColour;
  gl_Position = uView * vec4(p, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 vNormal;
in vec3 vLocal;
in vec3 vWorld;
in vec4 vColour;
uniform vec3 uLight;
uniform float uFlat;
uniform float uPattern;
uniform float uGrid;
uniform float uFade;
out vec4 colour;
float lines(vec2 p) {
  vec2 width = max(fwidth(p), vec2(1e-9));
  vec2 near = abs(fract(p - 0.5) - 0.5) / width;
  // Lines that come closer than some pixels melt into the surface instead of flickering.
  vec2 seen = clamp(1.0 - 3.0 * width, 0.0, 1.0);
  vec2 line = (1.0 - clamp(near, 0.0, 1.0)) * seen;
  return max(line.x, line.y);
}
void main() {
  vec3 n = normalize(gl_FrontFacing ? vNormal : -vNormal);
  vec3 c = vColour.rgb;
  // Alternating octants show how a round body turns.
  if (uPattern > 0.5 && vLocal.x * vLocal.y * (uFlat > 0.5 ? 1.0 : sign(vLocal.z)) < 0.0) c = mix(c, vec3(1.0), 0.28);
  if (uGrid > 0.0) {
    vec3 s = abs(n.z) > 0.9 ? vec3(1.0, 0.0, 0.0) : normalize(cross(n, vec3(0.0, 0.0, 1.0)));
    c = mix(c, vec3(0.45), 0.6 * lines(vec2(dot(vWorld, s), dot(vWorld, cross(n, s))) / uGrid));
  }
  float light = 0.62 + 0.3 * max(dot(n, uLight), 0.0) + 0.12 * n.z;
  // Floors and walls stay pale: they are what everything is seen before.
  colour = vec4(c * mix(light, 1.0, max(uFlat, uGrid > 0.0 ? 0.75 : 0.0)), vColour.a * uFade);
}`,
};

/// Lines of a width in pixels: every end is doubled and moved sideways in the picture.
export const EDGES = {
  vertex: `${INSTANCE}
layout(location=0) in vec3 aPosition;
layout(location=1) in vec3 aOther;
layout(location=6) in float aSide;
uniform vec4 uTowards;
uniform vec2 uHalfSize;
uniform float uWidth;
uniform float uDarken;
out vec4 vColour;
// A little towards the eye, so that the faces do not hide their own edges.
vec4 seen(vec3 p) { return uView * vec4(p * (1.0 - uTowards.w) + uTowards.xyz, 1.0); }
void main() {
  vec4 a = seen(world(aPosition));
  vec4 b = seen(world(aOther));
  vec2 along = (b.xy / b.w - a.xy / a.w) * uHalfSize;
  float size = length(along);
  vec2 across = size > 0.0 ? vec2(-along.y, along.x) / size : vec2(0.0);
  a.xy += across * aSide * 0.5 * uWidth / uHalfSize * a.w;
  vColour = vec4(iColour.rgb * uDarken, min(1.0, 3.0 * iColour.a));
  gl_Position = a;
}`,
  fragment: `#version 300 es
precision highp float;
in vec4 vColour;
uniform float uFade;
out vec4 colour;
void main() { colour = vec4(vColour.rgb, vColour.a * uFade); }`,
};
