/** Tests of TOTP codes: the test vectors of RFC 6238, the adjacent time steps are accepted, others are not. */
import { expect, test } from "vitest";
import { newTotpSecret, stepAt, stepOfCode, totpAddress, totpCode } from "./totp.ts";

/** "12345678901234567890", the key of RFC 6238, appendix B. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("at %i the code is the end of the RFC's %s", (seconds, eightDigits) => {
  expect(totpCode(SECRET, stepAt(seconds))).toBe(eightDigits.slice(-6));
});

test.each([
  [-60, undefined],
  [-30, -1],
  [0, 0],
  [30, 1],
  [60, undefined],
])("a clock that is off by %i s is heard as step %s", (offSeconds, offSteps) => {
  const now = 1_234_567_890;
  const code = totpCode(SECRET, stepAt(now + offSeconds));
  expect(stepOfCode(SECRET, code, now)).toBe(offSteps === undefined ? undefined : stepAt(now) + offSteps);
});

test("secrets have 160 bits in base32, and no two are the same", () => {
  const secrets = Array.from({ length: 200 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(200);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test("an address for the QR code names site and account, whatever characters they have", () => {
  const address = new URL(totpAddress(SECRET, { site: "A & B: 网关", username: "li ming" }));
  expect(decodeURIComponent(address.pathname)).toBe("/A & B  网关:li ming");
  expect(Object.fromEntries(address.searchParams)).toEqual({
    secret: SECRET,
    issuer: "A & B  网关",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});
