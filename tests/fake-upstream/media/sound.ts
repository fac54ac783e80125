/** Songs of the fake upstream: short tunes of plucked notes. */

const RATE = 8000;
const NOTE_SECONDS = 0.28;
/** Steps above the root of a pentatonic scale, in semitones. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16] as const;
const ROOT_HZ = 261.63;

/** One sample of a tune, from -1 to 1. */
function sampleAt(seed: number, seconds: number): number {
  const note = Math.floor(seconds / NOTE_SECONDS);
  const since = seconds - note * NOTE_SECONDS;
  const step = SCALE[(note * 3 + seed * 5 + Math.floor(note / 4)) % SCALE.length] ?? 0;
  const hertz = ROOT_HZ * 2 ** (step / 12);
  return Math.sin(2 * Math.PI * hertz * seconds) * Math.exp(-since * 7) * 0.6;
}

/** A WAV file, 8 bits and one channel. @param seed which tune */
export function tune(seed: number, seconds = 4): Buffer {
  const count = Math.round(RATE * seconds);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + count, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(count, 40);
  const samples = Uint8Array.from(
    { length: count },
    (_, index) => 128 + Math.round(sampleAt(seed, index / RATE) * 120),
  );
  return Buffer.concat([head, samples]);
}
