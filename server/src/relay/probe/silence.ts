/** A recording of nothing, for whoever has to send one: tests of channels, and tests of the program. */

const RATE = 8000;
const HEADER_BYTES = 44;

/** WAV (RIFF), PCM, mono, 8 bit at 8 kHz: one byte a sample. */
export function silence(seconds: number): Buffer {
  const samples = Math.round(seconds * RATE);
  const file = Buffer.alloc(HEADER_BYTES + samples, 0x80);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(HEADER_BYTES - 8 + samples, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples, 40);
  return file;
}
