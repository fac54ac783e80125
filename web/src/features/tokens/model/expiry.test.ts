/** Tests of the expiry field: the forms it reads, and that it shows what it reads. */
import { expect, test } from "vitest";
import { expiryText, parseExpiry } from "./expiry.ts";

const seconds = (...parts: [number, number, number, number?, number?, number?]): number =>
  new Date(...parts).getTime() / 1000;

test("dates are read as people of both languages write them", () => {
  const evening = seconds(2026, 11, 20, 18, 0);
  const texts = [
    "2026-12-20 18:00",
    "2026/12/20 18:00",
    "2026-12-20T18:00",
    "Dec 20, 2026, 18:00",
    "december 20 2026 18:00",
    "2026年12月20日 18:00",
  ];
  expect(texts.map(parseExpiry)).toEqual(texts.map(() => evening));
  expect(parseExpiry("2026-12-20")).toBe(seconds(2026, 11, 20));
  expect(parseExpiry("2026-12-20 18:00:30")).toBe(evening + 30);
  expect(parseExpiry("  ")).toBe(-1);
});

test("what is no moment is refused", () => {
  const texts = [
    "tomorrow",
    "2026-02-30",
    "2026-13-01",
    "2026-12-20 25:00",
    "2026-12-20 18:60",
    "Foo 3, 2026",
    "12/20/2026",
    "1790000000",
  ];
  expect(texts.map(parseExpiry)).toEqual(texts.map(() => undefined));
});

test("in both languages the text shown reads back to the same minute", () => {
  const atS = seconds(2027, 2, 1, 9, 5);
  expect(expiryText(atS, "en")).toBe("Mar 1, 2027, 09:05");
  expect(expiryText(atS, "zh")).toBe("2027-03-01 09:05");
  expect([parseExpiry(expiryText(atS, "en")), parseExpiry(expiryText(atS, "zh"))]).toEqual([atS, atS]);
  expect(expiryText(-1, "en")).toBe("");
});
