// What the graphics card runs: bodies, trails, grid and sky, each as [vertex, fragment].

(() => {
  const SOLID = [`#version 300 es
    in vec3 point; in vec3 normal;
    uniform mat4 view; uniform vec3 place; uniform vec4 turn; uniform vec3 size;
    out vec3 n; out vec3 at; out vec3 local;
    vec3 turned(vec3 v) { return v + 2.0 * cross(turn.yzw, cross(turn.yzw, v) + turn.x * v); }
    void main() {
      local = point;
      at = place + turned(point * size);
      n = turned(normal / size);
      gl_Position = view * vec4(at, 1.0);
    }`, `#version 300 es
    precision highp float;
    in vec3 n; in vec3 at; in vec3 local;
    uniform vec3 eye; uniform vec3 back; uniform vec3 up; uniform vec3 right; uniform float flat_view;
    uniform vec3 color; uniform vec3 size; uniform int kind; uniform float ghost; uniform float glow; uniform float opacity;
    out vec4 result;
    void main() {
      vec3 N = normalize(n);
      vec3 V = flat_view > 0.5 ? back : normalize(eye - at);
      vec3 base = color;
      if (kind == 0) {
        vec3 away = (0.5 - abs(local)) * size;
        float nearest = min(min(max(away.x, away.y), max(away.y, away.z)), max(away.x, away.z));
        float w = fwidth(nearest);
        float seam = 0.012 * max(size.x, max(size.y, size.z));
        base *= mix(0.5, 1.0, smoothstep(seam - w, seam + w, nearest));
      }
      if (kind == 2) {
        float r = length(local.xy);
        float w = fwidth(r) + 1e-4;
        if (abs(local.z) > 0.499) {
          base *= mix(1.0, 0.6, smoothstep(0.93 - w, 0.93 + w, r));
          float across = abs(local.y);
          float v = fwidth(local.y) + 1e-4;
          float spoke = (1.0 - smoothstep(0.025 - v, 0.025 + v, across)) * step(0.0, local.x) * step(0.2, r);
          base *= mix(1.0, 0.45, spoke);
          float inside = 1.0 - smoothstep(0.16 - w, 0.16 + w, r);
          float quarter = local.x * local.y > 0.0 ? 0.08 : 0.95;
          base = mix(base, vec3(quarter), inside);
        }
      }
      vec3 sun = normalize(0.55 * up - 0.45 * right + 0.75 * back);
      vec3 fill = normalize(-0.4 * up + 0.8 * right + 0.3 * back);
      float key = max(dot(N, sun), 0.0);
      float soft = 0.5 + 0.5 * dot(N, up);
      vec3 light = vec3(0.20, 0.23, 0.29) + 0.16 * soft + 0.82 * key * vec3(1.0, 0.97, 0.92)
                 + 0.18 * max(dot(N, fill), 0.0) * vec3(0.6, 0.75, 1.0);
      float shine = pow(max(dot(N, normalize(sun + V)), 0.0), 48.0);
      float rim = pow(1.0 - abs(dot(N, V)), 3.0);
      vec3 lit = base * light + 0.22 * shine + 0.14 * rim * vec3(0.55, 0.7, 1.0);
      if (glow > 0.0) { result = vec4(mix(lit, color, 0.6), glow); return; }
      if (ghost > 0.0) { result = vec4(color * 0.9 + 0.1, ghost * (0.35 + 1.3 * rim)); return; }
      // Of a body to see through only the near side counts.
      if (opacity < 1.0 && dot(N, V) < 0.0) discard;
      result = vec4(pow(lit, vec3(0.92)), opacity);
    }`];

  const RIBBON = [`#version 300 es
    in vec3 point; in vec3 ahead; in float side; in float when;
    uniform mat4 view; uniform vec2 pixels; uniform float lift;
    out float moment;
    void main() {
      vec4 a = view * vec4(point + vec3(0.0, 0.0, lift), 1.0);
      vec4 b = view * vec4(ahead + vec3(0.0, 0.0, lift), 1.0);
      vec2 way = (b.xy / b.w - a.xy / a.w) * pixels;
      float far = length(way);
      vec2 across = far > 1e-4 ? vec2(-way.y, way.x) / far : vec2(0.0, 1.0);
      a.xy += side * 2.4 * across / pixels * a.w;
      moment = when;
      gl_Position = a;
    }`, `#version 300 es
    precision highp float;
    in float moment;
    uniform vec3 color; uniform float now; uniform float span;
    out vec4 result;
    void main() {
      float age = (now - moment) / max(span, 1e-9);
      float alpha = age < 0.0 ? 0.13 : 0.25 + 0.6 * exp(-3.0 * age);
      result = vec4(color, alpha);
    }`];

  const GRID = [`#version 300 es
    in vec3 point;
    uniform mat4 view; uniform vec3 middle; uniform float reach; uniform float height;
    out vec2 at; out vec2 off;
    void main() {
      vec3 p = vec3(middle.xy + reach * point.xy, height);
      at = p.xy; off = point.xy;
      gl_Position = view * vec4(p, 1.0);
    }`, `#version 300 es
    precision highp float;
    in vec2 at; in vec2 off;
    uniform float spacing;
    out vec4 result;
    float lines(float d) {
      vec2 u = at / d;
      vec2 w = fwidth(u);
      vec2 near = abs(fract(u - 0.5) - 0.5) / max(w, 1e-6);
      vec2 faint = 1.0 - smoothstep(0.25, 0.9, w);
      vec2 on = (1.0 - smoothstep(0.4, 1.4, near)) * faint;
      return max(on.x, on.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.25, 1.0, length(off));
      float strength = max(0.16 * lines(spacing), 0.26 * lines(5.0 * spacing));
      result = vec4(0.55, 0.68, 0.88, strength * fade);
    }`];

  const SKY = [`#version 300 es
    in vec3 point; out vec2 at;
    void main() { at = point.xy; gl_Position = vec4(point.xy, 0.99999, 1.0); }`, `#version 300 es
    precision highp float;
    in vec2 at; uniform vec2 pixels; out vec4 result;
    float chance(vec2 p) { return fract(sin(dot(p, vec2(41.3, 289.1))) * 43758.5453); }
    void main() {
      vec3 deep = mix(vec3(0.028, 0.043, 0.075), vec3(0.065, 0.09, 0.14), smoothstep(-1.2, 1.3, at.y - 0.25 * at.x));
      vec2 cell = floor((at + 1.0) * pixels / 26.0);
      vec2 star = (cell + 0.2 + 0.6 * vec2(chance(cell), chance(cell + 7.7))) * 26.0;
      float far = length((at + 1.0) * pixels - star);
      float on = step(0.9, chance(cell + 3.1)) * (1.0 - smoothstep(0.3, 1.3, far)) * 0.4 * chance(cell + 1.9);
      result = vec4(deep + on, 1.0);
    }`];

  percuss.shaders = { SOLID, RIBBON, GRID, SKY };
})();
