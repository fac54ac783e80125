/** The fake upstream in a process of its own: the last message of a request says how it is answered, and events are reported over IPC. */
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../../fake-upstream/plan.ts";

/** Prefix of a message that carries a plan as JSON. */
export const PLAN_MARK = "@plan ";

/** A plan with the name of its call, by which the facts find it again. */
export type Directive = Plan & { name?: string; echoesKey?: boolean };

/** What is reported of one named call. */
export interface NamedCall {
  name: string;
  wasAborted: boolean;
  /** Unix milliseconds; 0 while it is not aborted. */
  abortedAtMs: number;
}

export interface UpstreamInfo {
  /** Requests that reached it. */
  count: number;
  /** Requests it has not finished answering. */
  openCount: number;
  /** Most requests that were open at one time. */
  mostOpen: number;
  named: readonly NamedCall[];
}

function directiveOf({ json }: SeenRequest): Directive {
  const messages = json?.["messages"];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = typeof last === "object" && last !== null && "content" in last ? last.content : undefined;
  if (typeof content !== "string" || !content.startsWith(PLAN_MARK)) return {};
  return JSON.parse(content.slice(PLAN_MARK.length)) as Directive; // written by the test's own client
}

/** An error that repeats the key it was called with, as careless vendors do. */
const echoing = (request: SeenRequest): Plan => ({
  status: 401,
  error: {
    message: `Incorrect API key provided: ${String(request.headers["authorization"])}`,
    code: "invalid_api_key",
  },
});

function namedCalls(upstream: FakeUpstream): NamedCall[] {
  return upstream.requests.flatMap((request) => {
    const { name } = directiveOf(request);
    const abortedAtMs = request.abortedAtMs === 0 ? 0 : performance.timeOrigin + request.abortedAtMs;
    return name === undefined ? [] : [{ name, wasAborted: request.wasAborted, abortedAtMs }];
  });
}

async function run(): Promise<void> {
  let mostOpen = 0;
  const upstream = await startFakeUpstream({
    plan: (request) => {
      mostOpen = Math.max(mostOpen, upstream.openCount);
      const directive = directiveOf(request);
      return directive.echoesKey === true ? echoing(request) : directive;
    },
  });
  process.on("message", (question: { id: number; isReset: boolean }) => {
    const { count, openCount } = upstream;
    const facts: UpstreamInfo = { count, openCount, mostOpen, named: namedCalls(upstream) };
    if (question.isReset) {
      upstream.requests.length = 0;
      mostOpen = 0;
    }
    process.send?.({ id: question.id, facts });
  });
  // Its parent has ended.
  process.on("disconnect", () => process.exit(0));
  process.send?.({ url: upstream.url });
}

if (import.meta.main) await run();
