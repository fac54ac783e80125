/** Short forms of receipts and details: every text comes back to the letter, rows of other versions included, and codes never change their meaning. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ChargeDetailReader, readChargeDetail } from "./charge-detail.ts";
import { detailShorthand, receiptShorthand, Shorthand, shortDetail, shortReceipt } from "./shorthand.ts";

const RECEIPT =
  '{"group_ratio":1,"quota_per_unit":500000,"price_version":4,"price_since":1795865230,"cache_tokens":12,"model_ratio":2.5,"model_price":-1,"completion_ratio":4,"cache_ratio":1,"endpoint":"/v1/chat/completions","client":"codex","frt":41,"admin_info":{"use_channel":[1],"tried":[{"id":1,"name":"main","start_ms":23,"ms":23,"status":200,"reason":"","upstream_request_id":"req_7f3a91c0d2e84b56"}],"skipped":[]},"usage":{"inputTokens":1000,"outputTokens":300,"cacheReadTokens":12},"raw_usage":{"prompt_tokens":1000,"completion_tokens":300,"total_tokens":1300,"prompt_tokens_details":{"cached_tokens":12,"audio_tokens":0}}}';
const DETAIL = '{"n":[988,300,12],"g":"1","q":"500000","v":4,"r":["2.5","4","1","1.25","20","1","2"]}';

const FORMS = { receiptShorthand, detailShorthand } as const;
const TEXTS: readonly (readonly [string, string])[] = [
  ["a receipt", RECEIPT],
  ["a detail", DETAIL],
  ["of a price a call", '{"n":[],"e":1,"f":"0.04","c":"1.5","g":"0.5","q":"500000","v":3}'],
  ["with texts of people", JSON.stringify({ name: '","start_ms":7}],"skipped":[] \u0001\u001f! 模型 😀 \\ "\n' })],
  ["no receipt", "{}"],
  ["nothing", ""],
  ["no JSON", 'not "json"}'],
  ["of another program", '{\n\t"frt": 12\n}'],
  ["with bare codes", "\u0001\u0002\u001f!"],
];

describe.each(Object.entries(FORMS))("%s", (_name, form: Shorthand) => {
  test.each(TEXTS)("%s comes back to the letter", (_text, text) => {
    const stored = form.write(text);
    if (text.startsWith("\u0001")) expect(stored).toBe(text);
    else expect(form.read(stored)).toBe(text);
  });

  test("rows of versions without it are read as they are", () => {
    for (const text of [RECEIPT, DETAIL, "{}", '{\n\t"frt": 12\n}']) expect(form.read(text)).toBe(text);
  });
});

test("a receipt and a detail take a third and half of their bytes", () => {
  expect(receiptShorthand.write(RECEIPT).length).toBeLessThan(RECEIPT.length / 3);
  expect(detailShorthand.write(DETAIL).length).toBeLessThan(DETAIL.length / 2);
});

test("what is remembered of a form is the form that it would be written in", () => {
  for (const [, text] of TEXTS)
    for (let time = 0; time < 2; time += 1) {
      expect(shortReceipt(text)).toBe(receiptShorthand.write(text));
      expect(shortDetail(text)).toBe(detailShorthand.write(text));
    }
  const other = RECEIPT.replace('"frt":41', '"frt":42').replace('"model_ratio":2.5', '"model_ratio":3');
  const long = RECEIPT.replace('"name":"main"', `"name":"${"m".repeat(4_000)}"`);
  for (const text of [other, long]) expect(receiptShorthand.read(shortReceipt(text))).toBe(text);
});

test("names that look like the border of what is remembered change nothing of what is read", () => {
  const names = [',"frt":1]', '"],"n":[1]}', ']"]}', String.raw`\\",\"frt":`];
  for (const name of names) {
    const receipt = RECEIPT.replace('"main"', JSON.stringify(name));
    const detail = DETAIL.replace('"g":"1"', `"g":${JSON.stringify(name)}`);
    for (const text of [receipt, detail, JSON.stringify({ name })]) {
      expect(receiptShorthand.read(shortReceipt(text))).toBe(text);
      expect(detailShorthand.read(shortDetail(text))).toBe(text);
    }
  }
});

test("two fragments that one number would find are refused", () => {
  expect(() => new Shorthand(['"abcde":', '"axcde":'])).not.toThrow();
  expect(() => new Shorthand(['"abcde":', '"abfde":'])).toThrow("two fragments");
});

/** The codes of so many fragments in their order, and what they stand for. */
function meaningOf(form: Shorthand, count: number): string {
  const codes = Array.from({ length: count }, (_, index) =>
    index < 29 ? String.fromCharCode(2 + index) : `\u001f${String.fromCharCode(0x21 + index - 29)}`,
  );
  return createHash("sha256")
    .update(codes.map((code) => form.whole(code)).join("\n"))
    .digest("hex")
    .slice(0, 16);
}

// Stored rows are read by these. A new fragment goes to the end of its list and leaves these numbers as they are.
test("no code changes its meaning", () => {
  expect(meaningOf(receiptShorthand, 80)).toBe("e5c6eb459d0ec690");
  expect(meaningOf(detailShorthand, 15)).toBe("cf0ec2eb45e69ffe");
});

test("a detail says the same in both forms, to the audit and to dry runs", () => {
  const short = detailShorthand.write(DETAIL);
  expect(short).not.toBe(DETAIL);
  expect(readChargeDetail(short)).toEqual(readChargeDetail(DETAIL));
  expect(readChargeDetail(short)?.u).toEqual([988, 300, 12, 0, 0, 0, 0]);
  const reader = new ChargeDetailReader();
  for (const text of [short, DETAIL, short])
    expect(reader.read(text)).toMatchObject({ counts: [988, 300, 12], detail: { v: 4, g: "1" } });
});

test("what filters look for stands in a short form as in the part alone", () => {
  const short = receiptShorthand.write(RECEIPT);
  for (const part of [
    '"client":"codex"',
    '"upstream_request_id":"req_7f3a91c0d2e84b56"',
    '"use_channel":[',
    '],"tried":',
  ])
    expect(short).toContain(receiptShorthand.part(part));
});
