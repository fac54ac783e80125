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

/** A request for a search is answered with all that Markdown has. */
const SEARCH = [
  "A **binary search** halves a *sorted* list until it finds the value: it takes $O(\\log_2 n)$ steps.",
  '```python\ndef search(items: list[int], wanted: int) -> int:\n    """Index of wanted, or -1."""\n    low, high = 0, len(items) - 1\n    while low <= high:\n        middle = (low + high) // 2\n        if items[middle] == wanted:\n            return middle\n        low, high = (middle + 1, high) if items[middle] < wanted else (low, middle - 1)\n    return -1\n```',
  "| n | steps |\n| ---: | ---: |\n| 1,000 | 10 |\n| 1,000,000 | 20 |",
  "$$\nT(n) = T\\left(\\frac{n}{2}\\right) + c\n$$",
].join("\n\n");

/** An answer whose length follows the question, so that a demonstration's charges differ. */
export function plausiblePlan(request: SeenRequest): Plan {
  if (/binary search/i.test(request.body.toString("utf8")))
    return {
      text: SEARCH,
      reasoning: "The list is sorted, so half of it can go each time.",
      chunks: 40,
      chunkDelayMs: 12,
    };
  const count = 1 + (request.body.length % SENTENCES.length);
  const text = SENTENCES.slice(0, count).join(" ");
  return { text, chunks: text.split(" ").length, headerDelayMs: 60, chunkDelayMs: 12, hasRealMedia: true };
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
