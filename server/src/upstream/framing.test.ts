/** Tests of framing: lines of JSON and AWS's frames become event streams, however they are cut. */
import { EventStreamCodec } from "@smithy/core/event-streams";
import { describe, expect, test } from "vitest";
import { framerFor } from "./framing.ts";

const LIMIT = 65_536;
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

const frame = (headers: Readonly<Record<string, string>>, payload: object): Buffer =>
  Buffer.from(
    codec.encode({
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string", value }])),
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );

/** What comes out where the bytes arrive in pieces of a size. */
function framed(type: string, bytes: Buffer, size: number): string {
  const framer = framerFor(type, LIMIT);
  if (framer === undefined) throw new Error(`${type} has no framer`);
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) parts.push(framer.push(bytes.subarray(from, from + size)));
  return Buffer.concat([...parts, framer.end()]).toString("utf8");
}

test("event streams, JSON and responses without a type are passed on unchanged", () => {
  for (const type of ["text/event-stream", "application/json", undefined, "constructor"])
    expect(framerFor(type, LIMIT)).toBeUndefined();
});

describe("lines of JSON", () => {
  const bytes = Buffer.from('{"a":"ä"}\n\r\n{"b":2}\r\n{"c":3}');

  test.each([1, 2, 7, 1000])("in pieces of %i bytes are events, the last one without a line's end too", (size) => {
    expect(framed("application/x-ndjson; charset=utf-8", bytes, size)).toBe(
      'data: {"a":"ä"}\n\ndata: {"b":2}\n\ndata: {"c":3}\n\n',
    );
  });

  test("that do not end are given up", () => {
    expect(() => framerFor("application/x-ndjson", 10)?.push(Buffer.alloc(11, 97))).toThrow("longer than 10 bytes");
  });
});

describe("AWS's frames", () => {
  const AWS = "application/vnd.amazon.eventstream";
  const wrapped = { bytes: Buffer.from('{"type":"ping"}').toString("base64"), p: "abc" };
  const chunk = frame({ ":message-type": "event", ":event-type": "chunk" }, wrapped);
  const plain = frame({ ":message-type": "event", ":event-type": "messageStop" }, { stopReason: "end_turn" });
  const thrown = frame(
    { ":message-type": "exception", ":exception-type": "throttlingException" },
    { message: "slow down" },
  );

  test.each([1, 13, 1000])("in pieces of %i bytes are events, opened where they are wrapped", (size) => {
    expect(framed(AWS, Buffer.concat([chunk, plain, thrown]), size)).toBe(
      'event: ping\ndata: {"type":"ping"}\n\n' +
        'event: messageStop\ndata: {"stopReason":"end_turn"}\n\n' +
        'event: throttlingException\ndata: {"message":"slow down","__type":"throttlingException"}\n\n',
    );
  });

  test("with a wrong checksum, without a length or too long are refused", () => {
    const broken = Buffer.from(chunk);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    expect(() => framed(AWS, broken, 1000)).toThrow("checksum");
    expect(() => framed(AWS, Buffer.alloc(12), 1000)).toThrow("length");
    expect(() => framerFor(AWS, 20)?.push(chunk)).toThrow("longer than 20 bytes");
  });
});
