/** Pictures of the fake upstream: small hills under a sun, drawn by numbers. */
import { crc32, deflateSync } from "node:zlib";

type Colour = readonly [number, number, number];

interface Palette {
  sky: readonly [Colour, Colour];
  sun: Colour;
  hills: readonly [Colour, Colour, Colour];
}

const PALETTES: readonly Palette[] = [
  {
    sky: [
      [252, 228, 196],
      [240, 150, 110],
    ],
    sun: [255, 244, 214],
    hills: [
      [164, 84, 96],
      [98, 54, 92],
      [44, 32, 66],
    ],
  },
  {
    sky: [
      [206, 230, 246],
      [120, 176, 220],
    ],
    sun: [255, 250, 226],
    hills: [
      [96, 150, 132],
      [52, 106, 104],
      [22, 60, 74],
    ],
  },
  {
    sky: [
      [34, 42, 86],
      [92, 78, 142],
    ],
    sun: [236, 230, 250],
    hills: [
      [58, 56, 112],
      [38, 36, 84],
      [18, 18, 48],
    ],
  },
  {
    sky: [
      [250, 240, 214],
      [214, 206, 150],
    ],
    sun: [255, 214, 120],
    hills: [
      [178, 172, 96],
      [116, 130, 70],
      [58, 82, 52],
    ],
  },
];

const mix = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** The colour at a place of one scene; x and y from 0 to 1. */
function sceneAt(seed: number, x: number, y: number): Colour {
  const palette = PALETTES[seed % PALETTES.length] ?? (PALETTES[0] as Palette);
  const sunX = 0.2 + ((seed * 37) % 60) / 100;
  const isSun = (x - sunX) ** 2 + (y - 0.32) ** 2 < 0.011;
  const hill = palette.hills.findLastIndex((_, depth) => {
    const top = 0.5 + depth * 0.15 + Math.sin(x * (5 + depth * 2) + seed * 1.7 + depth * 2.1) * 0.07;
    return y > top;
  });
  const ground = palette.hills[hill];
  if (ground !== undefined) return ground;
  return isSun ? palette.sun : mix(palette.sky[0], palette.sky[1], y * 1.4);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const SIDE = 384;

/** A PNG of `side` x `side` pixels: one scene, or four in a grid as drawings come first. @param seed which scene */
export function picture(seed: number, isGrid: boolean, side = SIDE): Buffer {
  const lines = Buffer.alloc((side * 3 + 1) * side);
  const parts = isGrid ? 2 : 1;
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const [x, y] = [(column / side) * parts, (row / side) * parts];
      const colour = sceneAt(seed + Math.floor(x) + Math.floor(y) * 2, x % 1, y % 1);
      const at = row * (side * 3 + 1) + 1 + column * 3;
      colour.forEach((value, part) => lines.writeUInt8(Math.round(Math.min(255, Math.max(0, value))), at + part));
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  // 8 bits of each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
