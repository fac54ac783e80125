/** Makes the showcase's calls through the gateway, against the fake upstream: every receipt is one the relay wrote. For demo and gallery. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { BLANK_ENTRY } from "../../server/src/billing/log-row.ts";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import type { RunningApp } from "../../server/src/app.ts";
import type { LogEntry } from "../../server/src/billing/billing.ts";
import type { FakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../../tests/fake-upstream/plan.ts";
import { plausiblePlan } from "../../tests/fake-upstream/main.ts";
import type { ConsoleClient } from "./console-client.ts";
import type { Filled } from "./fill.ts";
import { CALLS, FIRST_CALLS, type ShowcaseCall } from "./showcase-calls.ts";

const TOP_UP_QUOTA = 25_000_000;
/** What a client that left owes is posted after it left. */
const BOOKED_AFTER_MS = 300;

/** Groups with ratios of their own, so that prices differ by who looks; retries, so that a call may try several channels. */
const OPTIONS: Readonly<Record<string, string>> = {
  ChatShareEnabled: "true",
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8, batch: 0.5, free: 2 }),
  UserUsableGroups: JSON.stringify({
    default: "Everyone",
    vip: "Team members",
    batch: "Slow, off-peak",
    free: "Trial accounts",
  }),
  RetryTimes: "3",
  StatusPageEnabled: "true",
  // The demonstration's pictures are on this machine, from where a gateway fetches nothing for its callers; the browser does.
  MjForwardUrlEnabled: "false",
  // Shown as stored; without a server no mail is sent.
  SMTPToken: "showcase-password",
};

const ALL = [...FIRST_CALLS, ...CALLS];

/** Plans by the marker in the prompt; prompts without one get a plausible answer. */
function showcasePlan(): (request: SeenRequest) => Plan {
  const attempts = new Map<string, number>();
  return (request) => {
    const text = request.body.toString("utf8");
    const call = ALL.find(({ marker }) => text.includes(`showcase: ${marker}`));
    if (call === undefined) return plausiblePlan(request);
    const attempt = attempts.get(call.marker) ?? 0;
    attempts.set(call.marker, attempt + 1);
    return call.plans[Math.min(attempt, call.plans.length - 1)] ?? {};
  };
}

function bodyOf({ marker, path, model, fields }: ShowcaseCall): object {
  const prompt = `showcase: ${marker}`;
  if (path.startsWith("/v1beta/")) return { contents: [{ role: "user", parts: [{ text: prompt }] }] };
  if (path.includes("/images/")) return { model, prompt, ...fields };
  return { model, messages: [{ role: "user", content: prompt }], ...fields };
}

/** A refusal is an answer too: some calls are made to be refused. */
async function make(url: string, key: string, call: ShowcaseCall): Promise<void> {
  const leaving = call.leavesAfterMs === undefined ? undefined : AbortSignal.timeout(call.leavesAfterMs);
  try {
    const answer = await fetch(url + call.path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(bodyOf(call)),
      ...(leaving === undefined ? {} : { signal: leaving }),
    });
    await answer.arrayBuffer();
  } catch (error) {
    if (leaving?.aborted !== true) throw error;
  }
}

const NO_CALL = { ...BLANK_ENTRY, groupName: "default", ip: "127.0.0.1" } as const;

/** A top-up with its line in the log. */
async function topUp({ foundation: { billing } }: RunningApp, { userId }: ConsoleClient, username: string) {
  const log: LogEntry = {
    ...NO_CALL,
    type: LOG_TYPE.topUp,
    requestId: randomUUID(),
    createdAt: Math.floor(Date.now() / 1000),
    userId,
    username,
    quota: TOP_UP_QUOTA,
    content: "Topped up $50.00 by bank transfer",
  };
  const detail = JSON.stringify({ reason: "seeded" });
  await billing.move({ entryId: log.requestId, kind: "top_up", userId, quotaDelta: TOP_UP_QUOTA, detail, log });
}

/** Sets the options of the showcase and makes its calls; resolves when all are in the log. Throws where the gateway cannot be reached. */
export async function makeShowcase(app: RunningApp, upstream: FakeUpstream, filled: Filled): Promise<void> {
  const { client, admin, key } = filled;
  if (key === undefined) throw new Error("the scenario has no token to call with");
  for (const [name, value] of Object.entries(OPTIONS)) await client.call("PUT", "/api/option", { key: name, value });
  await topUp(app, client, admin.username);
  upstream.plan(showcasePlan());
  await Promise.all(FIRST_CALLS.map((call) => make(app.url, key, call)));
  await Promise.all(CALLS.map((call) => make(app.url, key, call)));
  await pause(BOOKED_AFTER_MS);
}
