/** The fake upstream on a port of its own, for the demo and for development: `main.ts [port] [--plain]`, plausible answers of varying length. */
import { startFakeUpstream } from "./fake-upstream.ts";
import type { Plan, SeenRequest } from "./plan.ts";

const SENTENCES = [
  "Here is a short answer from the demonstration upstream.",
  "It has no model behind it: the words come from a small list, but routing, metering and billing around them are real.",
  "Streams arrive word by word, as they would from a vendor.",
  "The usage at the end is what this answer is charged by.",
  "Ask for a longer text and the answer grows with the question.",
];

/** An answer whose length follows the question, so that a demonstration's charges differ. */
export function plausiblePlan(request: SeenRequest): Plan {
  const count = 1 + (request.body.length % SENTENCES.length);
  const text = SENTENCES.slice(0, count).join(" ");
  return { text, chunks: text.split(" ").length, headerDelayMs: 60, chunkDelayMs: 12 };
}

if (import.meta.main) {
  const port = Number(process.argv[2] ?? "0");
  const isPlain = process.argv.includes("--plain");
  const upstream = await startFakeUpstream({
    port,
    isPlain,
    records: false,
    ...(isPlain ? {} : { plan: plausiblePlan }),
  });
  process.stdout.write(`fake upstream on ${upstream.url}\n`);
}
