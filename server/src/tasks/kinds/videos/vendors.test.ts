/** Vendors of videos: each is one provider's, and default prices with its steps come to what the vendor publishes. */
import { expect, test } from "vitest";
import { VIDEO_FORMATS } from "../../../../../contract/src/tasks.ts";
import { DEFAULT_CALL_PRICES } from "../../../prices/default-tables.ts";
import { providerRegistry } from "../../../providers/registry.ts";
import { TaskRefusal } from "../kind.ts";
import type { VideoImage, VideoRequest } from "./request.ts";
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

const FIRST = "https://images.example/first.png";
const LAST = "https://images.example/last.png";
const image = (role: VideoImage["role"], url = FIRST): VideoImage => ({ role, url }) as VideoImage;
const asked = (more: Partial<VideoRequest> = {}): VideoRequest => ({
  model: "m",
  prompt: "a fox",
  images: [],
  metadata: {},
  ...more,
});

/** Thousandths of the listed price, by the body that the vendor gets. */
function costOf(type: number, model: string, more: Partial<VideoRequest>): number {
  const vendor = vendorOfType(type) ?? expect.fail("no vendor");
  return vendor.charge(vendor.write(asked(more), model), model).thousandths;
}

test.each([
  [54, "doubao-seedance-2-0-260128", { resolution: "4k", seconds: 4 }, 4 * 5_150],
  [54, "doubao-seedance-2-0-260128", { pixels: { width: 3840, height: 2160 }, seconds: 4 }, 4 * 5_150],
  [54, "doubao-seedance-2-0-260128", { resolution: "2160p", seconds: 4 }, 4 * 5_150],
  [54, "doubao-seedance-2-0-260128", { resolution: "1080p", seconds: 4 }, 4 * 2_500],
  [17, "wan3.0-video", { resolution: "480p", seconds: 30 }, 30 * 500],
  [17, "wan3.0-video-prime", { resolution: "720p", seconds: 2 }, 2_000],
  [17, "wan3.0-video", { sound: false }, 5 * 2_000],
  [17, "wan2.7-r2v", { images: [image("reference")], resolution: "720p", seconds: 15 }, 15_000],
] as const)("type %i, %s with %j costs %i thousandths", (type, model, more, thousandths) => {
  expect(costOf(type, model, more)).toBe(thousandths);
});

test.each([
  ["wan3.0-video", [], undefined],
  [
    "wan3.0-video",
    [image("first"), image("last", LAST)],
    [
      { type: "first_frame", url: FIRST },
      { type: "last_frame", url: LAST },
    ],
  ],
  [
    "wan3.0-video",
    [image("reference"), image("reference", LAST)],
    [
      { type: "reference_image", url: FIRST },
      { type: "reference_image", url: LAST },
    ],
  ],
  [
    "wan2.7-r2v",
    [image("reference"), image("first", LAST)],
    [
      { type: "first_frame", url: LAST },
      { type: "reference_image", url: FIRST },
    ],
  ],
] as const)("%s gets the images %j in its list of media", (model, images, media) => {
  const { input } = vendorOfType(17)?.write(asked({ images }), model) ?? {};
  expect(input).toEqual({ prompt: "a fox", ...(media === undefined ? {} : { media }) });
});

test.each([
  [54, "doubao-seedance-2-0-fast-260128", { resolution: "4k" }, "resolution"],
  [54, "doubao-seedance-2-5-260628", { resolution: "4k" }, "resolution"],
  [17, "wan3.0-video", { seconds: 31 }, "duration"],
  [17, "wan3.0-video", { images: [image("first"), image("reference")] }, "reference_images"],
  [17, "wan3.0-video", { images: [image("last")] }, "image"],
  [17, "wan3.0-video-prime-pro", {}, "model"],
  [17, "wan2.7-r2v", {}, "reference_images"],
  [17, "wan2.7-i2v", { images: [image("first"), image("reference")] }, "reference_images"],
] as const)("type %i, %s with %j is refused by '%s'", (type, model, more, param) => {
  let refusal: unknown;
  try {
    costOf(type, model, more);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(TaskRefusal);
  expect((refusal as TaskRefusal).param).toBe(param);
});

test("films as references, which cost their own seconds, are refused in Wan's own format too", () => {
  const given = { model: "wan3.0-video", input: { prompt: "x", media: [{ type: "reference_video", url: FIRST }] } };
  expect(() => vendorOfType(17)?.charge(given, "wan3.0-video")).toThrow(/no films/);
});
