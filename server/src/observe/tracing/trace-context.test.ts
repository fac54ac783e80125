/** Tests of trace ids and of `traceparent`: what is well-formed is continued, everything else begins a trace of its own. */
import { describe, expect, test } from "vitest";
import { createTracer } from "./tracer.ts";
import { isWithinRatio, newSpanId, newTraceId, parseTraceparent, traceparentOf } from "./trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("traceparent", () => {
  test("is read as it is written", () => {
    const context = { traceId: TRACE, spanId: SPAN, isSampled: true };
    expect(parseTraceparent(traceparentOf(context))).toEqual(context);
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled).toBe(false);
    // Flags that this version does not know, and a later version with more behind (w3.org/TR/trace-context, 3.2.4 and 4).
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-03`)?.isSampled).toBe(true);
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)?.traceId).toBe(TRACE);
  });

  test.each([
    ["", "nothing"],
    [`00-${TRACE}-${SPAN}`, "no flags"],
    [`ff-${TRACE}-${SPAN}-01`, "a version that is forbidden"],
    [`00-${"0".repeat(32)}-${SPAN}-01`, "no trace"],
    [`00-${TRACE}-${"0".repeat(16)}-01`, "no span"],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, "capital letters"],
    [`00-${TRACE}-${SPAN}-01-more`, "more than its version has"],
    [`cc-${TRACE}-${SPAN}-01-${"x".repeat(600)}`, "more than a header needs"],
  ])("%s is not followed: %s", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

test("ids are of the right length and none comes twice", () => {
  const ids = Array.from({ length: 2_000 }, () => [newTraceId(), newSpanId()]);
  expect(new Set(ids.flat()).size).toBe(4_000);
  for (const [trace = "", span = ""] of ids) {
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    expect(span).toMatch(/^[0-9a-f]{16}$/);
  }
});

test("a share of all traces is sampled, the same at every program, and a larger share has all of a smaller one", () => {
  const ids = Array.from({ length: 20_000 }, newTraceId);
  const within = (ratio: number) => new Set(ids.filter((id) => isWithinRatio(id, ratio)));
  const [tenth, half] = [within(0.1), within(0.5)];
  expect(tenth.size / ids.length).toBeCloseTo(0.1, 1);
  expect(half.size / ids.length).toBeCloseTo(0.5, 1);
  expect(tenth.isSubsetOf(half)).toBe(true);
  expect([within(0).size, within(1).size]).toEqual([0, ids.length]);
});

describe("the caller's word on sampling", () => {
  const tracerWith = (followsCaller: boolean, ratio: number) =>
    createTracer(
      {
        url: "http://127.0.0.1:9/v1/traces",
        headers: {},
        serviceName: undefined,
        attributes: {},
        sampler: { followsCaller, ratio },
      },
      {},
      { onSent: () => undefined, onDropped: () => undefined, onChange: () => undefined },
    );
  test.each([
    [true, 0, "01", true],
    [true, 1, "00", false],
    [false, 0, "01", false],
    [false, 1, "00", true],
  ])("followed %s, share %d, flags %s: sampled %s", (followsCaller, ratio, flags, isSampled) => {
    const begun = tracerWith(followsCaller, ratio).begin(`00-${TRACE}-${SPAN}-${flags}`);
    expect(begun).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, isSampled });
    expect(begun.spanId).not.toBe(SPAN);
  });
});
