/** Tests of calls of the console API that fail: what is given up ends as aborted, and a refusal is said as the server says it. */
import { afterEach, expect, test, vi } from "vitest";
import { getOwnFirstSteps } from "../../../contract/src/features/dashboard.ts";
import { call } from "./api.ts";

afterEach(() => vi.unstubAllGlobals());

/** An answer whose head is there, and whose body fails once the call is aborted. */
function answerLate(_address: string, { signal }: RequestInit): Promise<Response> {
  const body = new ReadableStream({
    start(controller) {
      signal?.addEventListener("abort", () => controller.error(signal.reason));
    },
  });
  return Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
}

test("a call that is given up while its answer comes is aborted", async () => {
  vi.stubGlobal("fetch", answerLate);
  const given = new AbortController();
  const called = call(getOwnFirstSteps, { signal: given.signal });
  // Behind all that is ready now: the head of the answer is read, and its body is waited for.
  setTimeout(() => given.abort());
  await expect(called).rejects.toMatchObject({ name: "AbortError" });
});

test("a refusal with a code is shown as its sentence, another failure as an error", async () => {
  const said = async (answer: object) => {
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ success: false, ...answer }, { status: 403 })));
    return call(getOwnFirstSteps, {}).then(String, (error: Error) => error.message);
  };
  const message = "The super administrator does not permit you this";
  expect(await said({ code: "permission_withheld", message })).toBe(message);
  expect(await said({ message: "Blocked by a proxy" })).not.toBe("Blocked by a proxy");
});
