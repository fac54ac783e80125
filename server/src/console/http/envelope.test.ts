/** Tests of error responses of the console: what the caller reads, and the request id in the log. */
import { Hono } from "hono";
import { pino } from "pino";
import { expect, test } from "vitest";
import { AppError } from "../../../../contract/src/errors.ts";
import { failWithAny } from "./envelope.ts";

async function failBy(error: Error): Promise<{ answer: Response; logged: Record<string, unknown>[] }> {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  const app = new Hono();
  app.get("/api/token/", (c) => {
    c.header("X-Oneapi-Request-Id", "r1");
    return failWithAny(c, error, logger);
  });
  const answer = await app.request("/api/token/");
  return { answer, logged: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test.each([new Error("the disk is full"), new AppError("internal", { detail: "the disk is full" })])(
  "a failure inside is logged with the request id that its answer carries (%s)",
  async (error) => {
    const { answer, logged } = await failBy(error);
    expect(answer.headers.get("x-oneapi-request-id")).toBe("r1");
    expect(await answer.json()).toMatchObject({ success: false, code: "internal" });
    expect(logged).toMatchObject([{ requestId: "r1", method: "GET", path: "/api/token/", msg: "console call failed" }]);
  },
);

test("what the caller did wrong is not logged as a failure", async () => {
  const { answer, logged } = await failBy(new AppError("token_name_missing"));
  expect([answer.status, logged]).toEqual([new AppError("token_name_missing").status, []]);
});
