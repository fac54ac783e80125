/** Tests of a channel test's rejections: bytes that are no frames are the upstream's fault, a fault of this program is one. */
import { describe, expect, test, vi } from "vitest";
import { UpstreamFault } from "../upstream/fault.ts";
import * as framing from "../upstream/framing.ts";
import { Collector, type WholeAnswer } from "./probe.ts";

const FRAMES = { "content-type": "application/vnd.amazon.eventstream" };

/** What came of an answer with these bytes. */
function collect(...chunks: readonly Buffer[]): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(resolve, reject);
    collector.started(200, FRAMES);
    for (const chunk of chunks) collector.data(chunk);
    collector.ended();
  });
}

describe("an answer in frames", () => {
  test("that are none is an answer that cannot be read", async () => {
    const fault: unknown = await collect(Buffer.alloc(64, 0xff)).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(UpstreamFault);
    expect(fault).toMatchObject({ kind: "decode" });
  });

  test("that this program trips over rejects with that fault itself, and throws nowhere else", async () => {
    const own = new TypeError("ours");
    const push = () => {
      throw own;
    };
    vi.spyOn(framing, "framerFor").mockReturnValue({ push, end: () => Buffer.alloc(0) });
    await expect(collect(Buffer.from("any"))).rejects.toBe(own);
  });
});
