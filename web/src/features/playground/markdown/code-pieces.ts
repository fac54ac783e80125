/** Cuts code into pieces of whole lines. All but the last stay the same while the code grows. Pure. */

const LINES = 80;

/** The pieces of at most 80 lines; joined they are the code again. */
export function piecesOf(code: string): string[] {
  const lines = code.split("\n");
  const pieces: string[] = [];
  for (let start = 0; start < lines.length; start += LINES) {
    const isLast = start + LINES >= lines.length;
    pieces.push(lines.slice(start, start + LINES).join("\n") + (isLast ? "" : "\n"));
  }
  return pieces;
}
