/** A JSON patch changes its fields and no other byte: golden cases and random objects. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonFault, countNumbers, fieldOf, readTopLevel, valueOf } from "./bytes.ts";
import { patchTopLevel } from "./patch.ts";
import { runs } from "../../../../tests/support/soak/short-or-long.ts";

const read = (text: string, depth = 64) => readTopLevel(Buffer.from(text).toString("latin1"), depth);
const patch = (text: string, edits: Record<string, string | null>): string =>
  patchTopLevel(Buffer.from(text), read(text), new Map(Object.entries(edits))).toString();

test.each([
  ['{"model":"a","x":1.0,"y":1e400}', { model: '"b"' }, '{"model":"b","x":1.0,"y":1e400}'],
  [
    '{ "z" : 1 ,\n\t"model" : "a" , "é":"\\u00e9" }',
    { model: '"b"' },
    '{ "z" : 1 ,\n\t"model" : "b" , "é":"\\u00e9" }',
  ],
  ['{"model":"a","model":"c"}', { model: '"b"' }, '{"model":"b","model":"b"}'],
  ['{"mod\\u0065l":"a"}', { model: '"b"' }, '{"mod\\u0065l":"b"}'],
  ["{}", { a: "1" }, '{"a":1}'],
  ["{ }", { a: "1", b: "2" }, '{"a":1,"b":2 }'],
  ['{"a":1}', { b: "2" }, '{"a":1,"b":2}'],
  ['{"a":1,"b":2,"c":3}', { a: null }, '{"b":2,"c":3}'],
  ['{"a":1, "b":2 ,"c":3}', { b: null }, '{"a":1 ,"c":3}'],
  ['{"a":1,"b":2,"c":3}', { c: null }, '{"a":1,"b":2}'],
  ['{"a":1,"b":2}', { a: null, b: null }, "{}"],
  ['{"a":1,"b":2}', { a: null, b: null, c: "3" }, '{"c":3}'],
  [
    '{"n":{"model":"inner","deep":[{"model":1}]},"model":"a"}',
    { model: '"b"' },
    '{"n":{"model":"inner","deep":[{"model":1}]},"model":"b"}',
  ],
  ['{"s":"a\\"}{,[\\\\","model":"a"}', { model: '"b"' }, '{"s":"a\\"}{,[\\\\","model":"b"}'],
  [' \n{"a":1} \n', { a: "2" }, ' \n{"a":2} \n'],
] as const)("%s with %o", (text, edits, expected) => {
  expect(patch(text, edits)).toBe(expected);
});

test.each([
  "",
  "[]",
  "1",
  "null",
  '"x"',
  "{",
  "}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  "{,}",
  '{"a":1 "b":2}',
  '{"a":[}',
  '{"a":[1,2}',
  '{"a":"x}',
  "{a:1}",
  '{"a":1}x',
  '{"a":1}{"b":2}',
  '{"a":{"b":1}',
])("%s is refused", (text) => {
  expect(() => read(text)).toThrow(JsonFault);
});

test("depth is counted before anything is parsed", () => {
  const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  expect(() => read(nested(64))).not.toThrow();
  expect(() => read(nested(65))).toThrow(expect.objectContaining({ kind: "depth" }));
  expect(() => read(`{"a":${"[".repeat(1_000_000)}`)).toThrow(expect.objectContaining({ kind: "depth" }));
  expect(() => read(`{"a":"${"[".repeat(500)}"}`)).not.toThrow();
});

test("an object with more fields than any request has is refused before they take memory", () => {
  const wide = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"f${index}":1`).join(",")}}`;
  expect(read(wide(4096)).fields).toHaveLength(4096);
  expect(() => read(wide(4097))).toThrow(expect.objectContaining({ kind: "fields" }));
  expect(patch(wide(4096), { f5: null, f9: "2" })).toBe(wide(4096).replace(',"f5":1', "").replace('"f9":1', '"f9":2'));
});

test("any object is read as JSON.parse reads it, and a patch equals the same change", () => {
  const key = fc.oneof(fc.constantFrom("model", "stream", "messages", "a"), fc.string({ maxLength: 8 }));
  const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 8 });
  const edits = fc.dictionary(
    fc.constantFrom("model", "a", "stream", "new"),
    fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: null }),
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(object, edits, fc.constantFrom(0, 1, 2), (source, changes, indent) => {
      const text = JSON.stringify(source, null, indent);
      const body = Buffer.from(text);
      const top = read(text);
      for (const name of Object.keys(source))
        expect(valueOf(body, top, name)).toEqual(JSON.parse(JSON.stringify(source[name])));
      const expected: Record<string, unknown> = JSON.parse(text) as Record<string, unknown>;
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) delete expected[name];
        else Object.defineProperty(expected, name, { value, enumerable: true, configurable: true, writable: true });
      }
      const texts = new Map(
        Object.entries(changes).map(([name, value]) => [name, value === null ? null : JSON.stringify(value)]),
      );
      const patched = patchTopLevel(body, top, texts).toString();
      expect(JSON.parse(patched)).toEqual(JSON.parse(JSON.stringify(expected)));
      expect(patchTopLevel(body, top, new Map())).toBe(body);
    }),
    { numRuns: 1000 },
  );
});

test("no text makes it do anything but answer or refuse", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", "a", " ", "é"), { maxLength: 30 }),
      (parts) => {
        const text = parts.join("");
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonFault);
        }
        if (isObjectText(text)) expect(() => read(text)).not.toThrow();
      },
    ),
    { numRuns: runs(500) },
  );
});

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

test("strings are counted for estimates, encoded media are not", () => {
  const top = read(JSON.stringify({ a: "four", image: `data:image/png;base64,${"A".repeat(10_000)}` }));
  expect(top.mediaParts).toBe(1);
  expect(top.stringBytes).toBe(4);
});

const BASE64 = Buffer.from("any bytes at all, over and over. ".repeat(400)).toString("base64");
/** A text without a blank in it. */
const UNSPACED = "supercalifragilistic".repeat(600);
const CHINESE = "\u4e2d\u6587\u6ca1\u6709\u7a7a\u683c\uff0c".repeat(600);

const contentOf = (part: object) => ({ messages: [{ content: [part] }] });

test.each([
  ["a picture of chat completions", contentOf({ image_url: { url: `data:image/png;base64,${BASE64}` } })],
  ["a recording", contentOf({ input_audio: { data: BASE64, format: "wav" } })],
  ["a file with lines", contentOf({ file_data: BASE64.replaceAll(/(.{76})/g, "$1\r\n") })],
  ["a picture of Messages in a result", contentOf({ content: [{ source: { data: BASE64 } }] })],
  ["a picture of Gemini's", { contents: [{ parts: [{ inlineData: { data: BASE64 } }] }] }],
  ["a picture in a list", { image: [BASE64] }],
  ["a mask among the tools", { tools: [{ input_image_mask: { image_url: `DATA:image/png;base64,${BASE64}` } }] }],
  ["a signature behind other fields", contentOf({ a: { b: [1] }, signature: `-_${BASE64}` })],
])("%s is media", (_what, request) => {
  expect(read(JSON.stringify(request)).mediaParts).toBe(1);
});

test.each([
  ["Chinese without a blank", { messages: [{ content: CHINESE }] }],
  ["Chinese where media may stand", contentOf({ image_url: { url: CHINESE } })],
  ["a text without a blank", { messages: [{ content: UNSPACED }] }],
  ["a part of text", contentOf({ type: "text", text: UNSPACED })],
  ["a text that names itself data", { messages: [{ content: `data:text/plain;base64,${UNSPACED}` }] }],
  ["a list of texts", { input: ["short", UNSPACED] }],
  ["an argument of a call", contentOf({ type: "tool_use", input: { data: UNSPACED } })],
  ["arguments of Gemini's", { contents: [{ parts: [{ functionCall: { args: { image: { data: UNSPACED } } } }] }] }],
  ["a result of Gemini's", { contents: [{ parts: [{ functionResponse: { response: { data: [UNSPACED] } } }] }] }],
  ["a schema", { tools: [{ parameters: { properties: { url: { enum: [UNSPACED] } } } }] }],
  ["the name of a field", { metadata: { [UNSPACED]: 1 } }],
  ["words behind base64", { x: `${BASE64.slice(0, 6000)} and words`.repeat(3) }],
])("%s is text", (_what, request) => {
  const top = read(JSON.stringify(request));
  expect(top.mediaParts).toBe(0);
  expect(top.stringBytes).toBeGreaterThan(10_000);
});

test("the name of a field may be escaped, and names of fields that are closed are forgotten", () => {
  expect(read(String.raw`{"messages":[{"t\u0065xt":"${UNSPACED}"}]}`).mediaParts).toBe(0);
  expect(read(`{"messages":[{"content":"${String.raw`\u4e2d`.repeat(5000)}"}]}`).mediaParts).toBe(0);
  expect(read(`{"a":{"input":{"text":1},"url":"${BASE64}"}}`).mediaParts).toBe(1);
  expect(read(`{"a":[{"args":{}},{"data":"${BASE64}"}],"b":"${BASE64}"}`).mediaParts).toBe(2);
});

test.each([
  ["[1,2,3]", 3],
  ["[[10, 20],[30]]", 3],
  ['["1 2 3","4\\"5"]', 0],
  ["[1.5e+10,-2]", 2],
  ["[true,null]", 0],
  ["[]", 0],
])("numbers of %s are counted as %d", (value, count) => {
  const body = Buffer.from(`{"a":9,"input":${value},"b":8}`);
  const field = fieldOf(readTopLevel(body.toString("latin1"), 64), "input");
  expect(field && countNumbers(body, field)).toBe(count);
});

test("entries of the lists of one field are bounded, nested ones included, and numbers and keys are none", () => {
  const read = (value: unknown, max: number) => () => readTopLevel(JSON.stringify(value), 64, undefined, max);
  expect(read({ messages: [{ content: "a" }, { content: ["b", { type: "c" }] }] }, 4)).not.toThrow();
  expect(read({ messages: [{ content: "a" }, { content: ["b", { type: "c" }] }] }, 3)).toThrow(JsonFault);
  expect(read({ input: [1, 2, 3, 4, 5], tools: [{ a: "1", b: "2", c: "3" }] }, 1)).not.toThrow();
  expect(read({ one: ["a", "b"], two: ["c", "d"] }, 2)).not.toThrow();
  try {
    read({ one: [], two: ["a", "b"] }, 1)();
    expect.unreachable();
  } catch (fault) {
    expect(fault).toMatchObject({ kind: "entries", field: "two" });
  }
});
