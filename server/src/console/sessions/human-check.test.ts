/** Tests of the captcha's verification against a fake verifier: the request that is sent, and the meaning of each verdict. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHuman } from "./human-check.ts";

const ON = { TurnstileCheckEnabled: true, TurnstileSecretKey: "the-secret" };
const asked: Record<string, string>[] = [];
let verdict = "";
let server: Server;
let address = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      asked.push(Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString())));
      response.end(verdict);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("while the captcha is off no verifier is asked", async () => {
  await checkHuman({ ...ON, TurnstileCheckEnabled: false }, "", "192.0.2.1", address);
  expect(asked).toEqual([]);
});

test("without a token the visitor is asked to retry, and no verifier is asked", async () => {
  await expect(checkHuman(ON, "", "192.0.2.1", address)).rejects.toMatchObject({
    code: "human_check_missing",
    message: "Please retry in a few seconds, the check is verifying the environment",
  });
  expect(asked).toEqual([]);
});

test("a token is verified with the secret and the visitor's address", async () => {
  verdict = '{"success":true}';
  await checkHuman(ON, "a token", "192.0.2.1", address);
  expect(asked.at(-1)).toEqual({ secret: "the-secret", response: "a token", remoteip: "192.0.2.1" });
});

test.each(['{"success":false,"error-codes":["timeout-or-duplicate"]}', '{"success":"true"}', "null", "<html>"])(
  "the verdict %s refuses the login",
  async (text) => {
    verdict = text;
    await expect(checkHuman(ON, "t", "192.0.2.1", address)).rejects.toMatchObject({ code: "human_check_failed" });
  },
);

test("an unreachable verifier refuses the login", async () => {
  await expect(checkHuman(ON, "t", "192.0.2.1", "http://127.0.0.1:1/")).rejects.toMatchObject({
    code: "human_check_failed",
  });
});
