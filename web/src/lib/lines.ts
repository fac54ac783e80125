/** Reads the lines of an answer that comes as a stream of text, such as that of a dry run or of a pull of a model. */

/** Whole lines, as they come, without those that are blank. What is behind the last line end is unfinished and left out. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unfinished = "";
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (unfinished + decoder.decode(piece.value, { stream: true })).split("\n");
      unfinished = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    // A reader that stops early ends the work of the server for it.
    await reader.cancel().catch(() => undefined);
  }
}
