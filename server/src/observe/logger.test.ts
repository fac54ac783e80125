/** Tests of the logger: only allowed fields, and no key in any text. */
import { expect, test } from "vitest";
import { createLogger, redact } from "./logger.ts";

const KEY = "sk-Zq8vN2xW5yB7cD9fG1hJ3kL6mP4rS0tUaVbXeYiOuTzQwErT";

function collect() {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  return { logger, lines };
}

test("fields of the list are logged, others leave only their name", () => {
  const { logger, lines } = collect();
  logger.info({ requestId: "r1", status: 200, authorization: `Bearer ${KEY}`, body: { key: KEY } }, "call");
  const line: unknown = JSON.parse(lines[0] ?? "");
  expect(line).toMatchObject({
    level: "info",
    requestId: "r1",
    status: 200,
    msg: "call",
    dropped: "authorization,body",
  });
  expect(lines.join("")).not.toContain(KEY.slice(3));
});

test("a key reaches the log neither in an error, nor in a message, nor in a child's fields, nor in a URL", () => {
  const { logger, lines } = collect();
  logger.error({ err: Object.assign(new Error(`Incorrect key ${KEY}`), { code: "E1" }) }, `failed for ${KEY}`);
  logger.error(new Error(`Authorization: Bearer ${KEY}`));
  logger.info("printf %s", KEY);
  logger
    .child({ token: KEY, reason: KEY })
    .info({ url: `https://user:${KEY.slice(3)}@host/x?key=${KEY.slice(3)}&a=1` }, "child");
  expect(lines).toHaveLength(4);
  expect(lines.join("")).not.toContain(KEY.slice(3));
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    err: { type: "Error", code: "E1", message: "Incorrect key sk-[hidden]" },
  });
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ err: { type: "Error" } });
});

test("text of any length is cut", () => expect(redact("x ".repeat(5000)).length).toBeLessThan(2_100));

test("ordinary text stays as it is", () => {
  const text = "connect ECONNREFUSED 127.0.0.1:5432 for channel 7 (gpt-4o-mini)";
  expect(redact(text)).toBe(text);
});
