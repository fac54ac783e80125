/** Vendors of videos: each is one provider's, and default prices with its steps come to what the vendor publishes. */
import { expect, test } from "vitest";
import { VIDEO_FORMATS } from "../../../../../contract/src/tasks.ts";
import { DEFAULT_CALL_PRICES } from "../../../prices/default-tables.ts";
import { providerRegistry } from "../../../providers/registry.ts";
import { factorText } from "./vendor.ts";
import { vendorOfType } from "./vendors.ts";

test("every provider of videos has a vendor, and every vendor a provider", () => {
  const makers = providerRegistry().all.filter(({ manifest }) => manifest.operations.includes("videos"));
  const formats = makers.map(({ manifest }) => [manifest.slug, vendorOfType(manifest.id)?.format]);
  expect(formats.filter(([, format]) => format === undefined)).toEqual([]);
  expect([...new Set(formats.map(([, format]) => format))].toSorted()).toEqual([...VIDEO_FORMATS].toSorted());
});

/** USD that the vendor takes for a video (the pages in tests/fixtures/providers/<slug>/source.txt). */
const PUBLISHED: readonly (readonly [type: number, model: string, fields: object, usd: number])[] = [
  [50, "kling-v1", { duration: "5" }, 0.14],
  [50, "kling-v1", { duration: "10", mode: "pro" }, 0.98],
  [50, "kling-v1-6", { duration: "5" }, 0.28],
  [50, "kling-v1-6", { duration: "5", mode: "pro" }, 0.49],
  [50, "kling-v2-master", { duration: "5" }, 1.4],
  [50, "kling-v2-5-turbo", { duration: "5", mode: "pro" }, 0.35],
  [50, "kling-v2-6", { duration: "10", mode: "pro", sound: "on" }, 1.4],
  [50, "kling-v3", { duration: "5" }, 0.42],
  [50, "kling-v3", { duration: "5", mode: "pro" }, 0.56],
  [50, "kling-v3", { duration: "10", mode: "pro", sound: "on" }, 1.68],
  [50, "kling-v3", { duration: "10", mode: "4k" }, 4.2],
  [52, "viduq3-pro", { duration: 16, resolution: "540p" }, 1.12],
  [52, "viduq3-pro", { duration: 5 }, 0.75],
  [52, "viduq3-turbo", { duration: 5, resolution: "1080p" }, 0.4],
  [52, "viduq2-turbo", { duration: 8, resolution: "1080p" }, 0.8],
  [52, "viduq1", {}, 0.4],
  [52, "vidu2.0", {}, 0.2],
  [52, "vidu2.0", { duration: 4, resolution: "360p" }, 0.1],
  [52, "vidu2.0", { duration: 8 }, 0.5],
];

test.each(PUBLISHED)("type %i, %s with %o costs USD %f", (type, model, fields, usd) => {
  const thousandths = vendorOfType(type)?.charge({ ...fields }, model).thousandths ?? 0;
  const price = Number(DEFAULT_CALL_PRICES.get(model)) * Number(factorText(thousandths));
  expect(Math.abs(price - usd)).toBeLessThan(0.0005);
});

test.each([
  [5_000, "5"],
  [12_600, "12.6"],
  [933, "0.933"],
  [10_000, "10"],
  [0, "0"],
])("%i thousandths are %s", (thousandths, text) => expect(factorText(thousandths)).toBe(text));
