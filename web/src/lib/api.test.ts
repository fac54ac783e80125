/** Tests of calls of the console API that are given up: they end as aborted, and not as refused. */
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
