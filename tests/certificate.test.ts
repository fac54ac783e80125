/** Tests that generated certificates are accepted by every reader, whatever the length of their signature. */
import { createSecureContext } from "node:tls";
import { expect, test } from "vitest";
import { makeCertificate } from "./support/systems/certificate.ts";

test("a hundred certificates, whose signatures differ in length, are all taken", () => {
  const made = Array.from({ length: 100 }, makeCertificate);
  const lengths = new Set(made.map(({ cert }) => cert.length));
  expect(lengths.size).toBeGreaterThan(1);
  for (const { cert, key } of made) {
    expect(cert).not.toMatch(/\n\n/);
    createSecureContext({ cert, key });
  }
});
