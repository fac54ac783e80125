/** Token estimates are close to the counts of two public vocabularies for any split of the text, and holds are never below them. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { readTopLevel } from "../json/bytes.ts";
import { StringSample } from "../json/string-sample.ts";
import { estimateRequest } from "./request-info.ts";
import { TokenEstimate, estimateText } from "./token-estimate.ts";

const own = (name: string): string => readFileSync(new URL(`fixtures/estimate/${name}.txt`, import.meta.url), "utf8");
const ofProject = (path: string, characters = 20_000): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8").slice(0, characters);

/** Paragraphs of a Markdown file that are sentences, or the rows of its tables. */
const proseOf = (markdown: string): string =>
  markdown
    .split(/\n\n/)
    .filter((part) => /^[A-Z]/.test(part))
    .join("\n\n");
const tablesOf = (markdown: string): string =>
  markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .join("\n");

const ORDERS = Array.from({ length: 120 }, (_, index) => ({
  id: 10_480 + index * 7,
  customer: ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov"][index % 5] ?? "",
  email: `customer${index * 13}@example.com`,
  city: ["Berlin", "Lisbon", "New York", "Osaka"][index % 4] ?? "",
  ordered_at: `2026-0${(index % 9) + 1}-${10 + (index % 18)}T0${index % 10}:${15 + (index % 40)}:00Z`,
  amount: (19.9 + index * 3.37).toFixed(2),
  is_paid: index % 3 > 0,
  tags: index % 4 === 0 ? ["express", "gift"] : [],
}));
const CELLS = [Object.keys(ORDERS[0] ?? {}), ...ORDERS.map((order) => Object.values(order).map(String))];

/** A Markdown table whose columns are padded to one width. */
function wideTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  return [lines[0], `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines.slice(1)].join("\n");
}

const CLOSE: Readonly<Record<string, string>> = {
  "English, a story": own("english"),
  "English, this project's documents": proseOf(ofProject("docs/billing.md", 60_000)),
  "Chinese with terms and code": own("chinese-with-terms"),
  TypeScript: ofProject("server/src/dialects/json/bytes.ts"),
  TSX: ofProject("web/src/app/router.tsx"),
  CSS: ofProject("web/src/lib/tokens.css"),
  Python: own("python"),
  Go: own("go"),
  C: own("c"),
  SQL: own("sql"),
  shell: own("shell"),
  "tables of Markdown": tablesOf(ofProject("docs/billing.md", 60_000)),
  "a wide table of Markdown": wideTable(CELLS),
  "a narrow table of Markdown": CELLS.map((row) => `|${row.join("|")}|`).join("\n"),
  CSV: CELLS.map((row) => row.join(",")).join("\n"),
  "tabs between values": CELLS.map((row) => row.join("\t")).join("\n"),
  "JSON, compact": JSON.stringify(ORDERS),
  "JSON, indented by 2": JSON.stringify(ORDERS, undefined, 2),
  "JSON, indented by 4": JSON.stringify(ORDERS, undefined, 4),
  "JSON, a description of an API": ofProject("docs/openapi.json"),
};

/** Texts whose counts differ so much between the two vocabularies (Chinese by half) that nothing is close to both. */
const WIDE: Readonly<Record<string, string>> = {
  Chinese: own("chinese"),
  Japanese: own("japanese"),
  Korean: own("korean"),
  Russian: own("russian"),
  German: own("german"),
};

const ratios = (text: string): number[] => {
  const { tokens } = estimateText(text);
  return [tokens / o200k(text), tokens / cl100k(text)];
};

function expectWithin(share: number, name: string, text: string | undefined): void {
  for (const ratio of ratios(text ?? ""))
    expect(Math.abs(ratio - 1), `${name}: ${ratio.toFixed(3)}`).toBeLessThan(share);
}

test.each(Object.keys(CLOSE))("%s: within 15 %% of both vocabularies", (name) => {
  expectWithin(0.15, name, CLOSE[name]);
});

test.each(Object.keys(WIDE))("%s: within 35 %% of both vocabularies", (name) => {
  expectWithin(0.35, name, WIDE[name]);
});

test("Chinese sentences: within 15 % of the vocabulary in use", () => {
  const [ofToday = 0] = ratios(own("chinese"));
  expect(Math.abs(ofToday - 1)).toBeLessThan(0.15);
});

/** Answers of a word or two, each charged separately. */
const SHORT_ANSWERS =
  "Yes|No|Hello|Paris|42|True|Maybe|Blue|Thanks|Sure|Monday|OK|Positive|Neutral|London|Correct|I agree|Not found|7.5|Done.";

test("answers of one word: within 15 % together, each at least 1", () => {
  const answers = SHORT_ANSWERS.split("|");
  const tokens = answers.map((answer) => estimateText(answer).tokens);
  const counted = answers.map((answer) => o200k(answer));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  expect(Math.abs(sum(tokens) / sum(counted) - 1)).toBeLessThan(0.15);
  expect(Math.min(...tokens)).toBe(1);
  expect(estimateText("").tokens).toBe(0);
});

const inPieces = (text: string, sizes: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let [at, turn] = [0, 0]; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
};

/** Text of every kind, some of it cut inside a character. */
const ANY_TEXT = fc
  .array(
    fc.oneof(
      fc
        .constantFrom(...Object.values({ ...CLOSE, ...WIDE }))
        .chain((text) => fc.nat(Math.max(0, text.length - 40)).map((at) => text.slice(at, at + 40))),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
const SIZES = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

describe("a text in pieces", () => {
  test("is estimated as in one, also word by word", () => {
    const words = own("english").split(/(?= )/);
    const estimate = new TokenEstimate();
    for (const word of words) estimate.addText(word);
    expect(estimate.tokens).toBe(estimateText(own("english")).tokens);
    fc.assert(
      fc.property(ANY_TEXT, SIZES, (text, sizes) => {
        const pieces = new TokenEstimate();
        for (const piece of inPieces(text, sizes)) pieces.addText(piece);
        const whole = new TokenEstimate();
        whole.addText(text);
        expect([pieces.tokens, pieces.bytes]).toEqual([whole.tokens, whole.bytes]);
      }),
    );
  });

  test("is estimated in an upstream's own bytes as decoded, cut inside characters too", () => {
    fc.assert(
      fc.property(ANY_TEXT, SIZES, (text, sizes) => {
        // A lone surrogate has no UTF-8 of its own, and a backslash would begin an escape.
        const plain = text.toWellFormed().replaceAll("\\", "/");
        const bytes = new TokenEstimate();
        for (const piece of inPieces(Buffer.from(plain).toString("latin1"), sizes))
          bytes.addJson(piece, 0, piece.length);
        const decoded = estimateText(plain);
        expect([bytes.tokens, bytes.cautiousTokens]).toEqual([decoded.tokens, decoded.cautiousTokens]);
      }),
    );
  });
});

test("what is held is never less than what would be charged, however dense the text", () => {
  for (const text of [...Object.values(CLOSE), "1 2 3 4 5 6 7 8 9", "a b c d e", "?!?!(){}[]", "🙂🙂"]) {
    const { tokens, cautiousTokens } = estimateText(text);
    expect(cautiousTokens).toBeGreaterThanOrEqual(tokens);
  }
});

const requestOf = (prompt: string): { tokens: number; cautiousTokens: number } => {
  const body = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: prompt }] }));
  return estimateRequest(body, readTopLevel(body.toString("latin1"), 64, new StringSample())).words;
};

describe("a request", () => {
  test("is estimated from its strings, escapes read as what they stand for", () => {
    const code = ofProject("server/src/dialects/json/bytes.ts", 3_000);
    const names = estimateText("m").tokens + 2 + 1 + 1;
    expect(Math.abs(requestOf(code).tokens - estimateText(code).tokens - names)).toBeLessThanOrEqual(3);
  });

  test("that is long is estimated from samples, within 5 % of a whole count", () => {
    const parts = Object.values({ ...CLOSE, ...WIDE });
    const long = Array.from({ length: 24 }, (_, index) => parts[(index * 5) % parts.length]).join("\n\n");
    expect(Buffer.byteLength(long)).toBeGreaterThan(60_000);
    expect(Math.abs(requestOf(long).tokens / estimateText(long).tokens - 1)).toBeLessThan(0.05);
  });

  test("holds at least what its bytes say", () => {
    const { tokens, cautiousTokens } = requestOf("word ".repeat(4_000));
    expect(cautiousTokens).toBeGreaterThan(20_000 / 3);
    expect(cautiousTokens).toBeGreaterThan(tokens);
  });
});
