/** Responses streams passed through: every byte unchanged, text and usage read in passing, failures recognised. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { StreamPipe } from "../../stream/stream.ts";
import { INFO, USAGE, jsonOf, read, split } from "../../../../../tests/support/dialects/openai-responses.ts";
import { openAiResponsesDialect as dialect } from "../openai-responses.ts";
import { TranslatePipe } from "../../stream/pipe.ts";

/** The output of a pipe, with the kinds of its events. */
function run(pipe: StreamPipe, stream: string, sizes?: readonly number[]): { out: string; kinds: string[] } {
  let out = "";
  const kinds = split(stream, sizes).map(({ bytes, text }) => {
    const kind = pipe.push(bytes, text);
    out += Buffer.from(pipe.out, "latin1").toString();
    return kind;
  });
  return { out, kinds };
}

const OPTIONS = { hidesUsage: false, isChat: true, choices: 1 };

test("a stream passes through byte by byte; its text and usage are read in passing", () => {
  for (const name of ["stream-text.txt", "stream-tools.txt"]) {
    const stream = read(name);
    const pipe = dialect.createPassthrough(INFO, OPTIONS);
    const { out, kinds } = run(pipe, stream);
    expect(out).toBe(stream);
    expect(kinds.at(-1)).toBe("closing");
    expect(kinds.slice(0, -1)).not.toContain("closing");
    expect(pipe).toMatchObject({ hasFinish: true, hasDone: true, errorText: "" });
    expect(pipe.closing(USAGE)).toEqual([]);
  }
});

test.each([
  ["stream-text.txt", 0],
  // The decoder counts a call's name too, and the blank line between two summaries.
  ["stream-tools.txt", "\n\nget_weather".length],
])("%s: delivered text is counted as by the decoder", (name, decodedOnly) => {
  const pass = dialect.createPassthrough(INFO, OPTIONS);
  run(pass, read(name));
  const decoded = new TranslatePipe(dialect.createDecoder(), dialect.createEncoder(INFO), 1);
  run(decoded, read(name));
  expect(pass.rawUsage).toEqual(decoded.rawUsage);
  expect(pass.words.bytes).toBe(decoded.words.bytes - decodedOnly);
  expect(pass.deltas).toBeGreaterThan(0);
});

test("without event names, and cut at any byte, events are recognised by their types", () => {
  const stream = read("stream-text.txt").replaceAll(/^event: .*\n/gm, "");
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 }), (sizes) => {
      const pipe = dialect.createPassthrough(INFO, OPTIONS);
      const { out, kinds } = run(pipe, `: ping\n\n${stream}`, sizes);
      expect(out).toBe(`: ping\n\n${stream}`);
      expect(kinds).toEqual([
        "other",
        "other",
        "other",
        "other",
        "other",
        "delta",
        "delta",
        "other",
        "other",
        "other",
        "closing",
      ]);
      expect(pipe).toMatchObject({ deltas: 2, words: { bytes: 13 } });
    }),
  );
});

test("an upstream that fails on the way is an error, and our own error follows its numbers", () => {
  const stream = read("stream-failed.txt");
  const pipe = dialect.createPassthrough(INFO, OPTIONS);
  expect(run(pipe, stream).kinds).toEqual(["other", "error", "error"]);
  expect(dialect.readFailure(200, pipe.errorText)).toMatchObject({ status: 429 });
  expect(pipe.hasDone).toBe(false);
  const error = { status: 502, message: "gone", type: "upstream_error", code: "", param: null };
  expect(jsonOf(pipe.failing(error).toString("utf8"))).toMatchObject([
    { type: "error", sequence_number: 3, message: "gone" },
    { type: "response.failed", sequence_number: 4, response: { status: "failed", error: { code: "server_error" } } },
  ]);
  const bare = dialect.createPassthrough(INFO, OPTIONS);
  expect(run(bare, 'data: {"error":{"message":"no"}}\n\n').kinds).toEqual(["error"]);
});
