/** Tests of look-alike user names: other alphabets, combining marks and digits for letters are recognised; different names stay different. */
import { expect, test } from "vitest";
import { lookAlike } from "./look-alikes.ts";

test.each([
  ["root", "rооt"], // Cyrillic о
  ["root", "RООT"],
  ["root", "rοοt"], // Greek ο
  ["root", "röot"],
  ["root", "roo\u0323t"],
  ["root", "ｒｏｏｔ"],
  ["root", "𝐫𝐨𝐨𝐭"],
  ["admin", "аdmin"],
  ["admin", "adrnin"],
  ["admin", "admın"],
  ["alex", "aIex"],
  ["alex", "a1ex"],
  ["sysop", "ѕуѕор"],
  ["same", "sаme"],
  ["Zoe", "zoë"],
])("%s and %s look alike", (one, other) => {
  expect(lookAlike(one, other)).toBe(true);
  expect(lookAlike(other, one)).toBe(true);
});

test.each([
  ["root", "roots"],
  ["root", "boot"],
  ["admin", "admin2"],
  ["alex", "alec"],
  ["王伟", "王薇"],
  ["山田太郎", "田中太郎"],
])("%s and %s do not", (one, other) => {
  expect(lookAlike(one, other)).toBe(false);
});
