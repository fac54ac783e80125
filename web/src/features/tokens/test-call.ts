/** The test call of the connect drawer: a real call with this key from the browser, then its receipt from the log. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getOwnReceipt, listLogs, type UserLog } from "../../../../contract/src/features/logs.ts";
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { ApiError, call } from "../../lib/api.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { fullKey } from "./model/key.ts";
import { operationOf } from "./model/model-prices.ts";
import { type CallAnswer, readAnswer, testBody } from "./model/test-answer.ts";

export interface TestReceipt {
  requestId: string | undefined;
  tokens: number | undefined;
  ms: number;
  /** Quota charged; undefined where the log has no row of this call (it may be switched off). */
  quota: number | undefined;
  /** Blank for people who may not see channels. */
  channel: string;
}

const PATHS = { chat: "/v1/chat/completions", embeddings: "/v1/embeddings" } as const;
/** Receipts of the last minutes an administrator's look-up goes through. */
const LOOKED_THROUGH = 50;
const CLOCK_SLACK_S = 120;

async function sendCall(token: TokenRow, model: string): Promise<CallAnswer & { ms: number }> {
  const operation = operationOf(model);
  const startedMs = performance.now();
  const response = await fetch(PATHS[operation], {
    method: "POST",
    // The key alone decides who calls: this page's own session must not.
    credentials: "omit",
    headers: { Authorization: `Bearer ${fullKey(token.key)}`, "Content-Type": "application/json" },
    body: JSON.stringify(testBody(model, operation)),
  });
  const body: unknown = await response.json().catch(() => undefined);
  const ms = performance.now() - startedMs;
  return { ...readAnswer(response.status, response.headers.get("x-request-id") ?? undefined, body), ms };
}

/** The log row, or undefined where calls are not logged. */
async function receiptOf(requestId: string): Promise<UserLog | undefined> {
  try {
    return await call(getOwnReceipt, { params: { request_id: requestId } });
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Who answered, from the log that only administrators may read. */
async function channelOf(log: UserLog): Promise<string> {
  const query = {
    p: 1,
    page_size: LOOKED_THROUGH,
    username: log.username,
    token_name: log.token_name,
    start_timestamp: log.created_at - CLOCK_SLACK_S,
  };
  const { items } = await call(listLogs, { query });
  return items.find((row) => row.request_id === log.request_id)?.channel_name ?? "";
}

async function testCall(token: TokenRow, model: string, isAdmin: boolean): Promise<TestReceipt> {
  const answer = await sendCall(token, model);
  const log = answer.requestId === undefined ? undefined : await receiptOf(answer.requestId);
  if (log === undefined) return { ...answer, quota: undefined, channel: "" };
  return {
    requestId: answer.requestId,
    tokens: log.prompt_tokens + log.completion_tokens,
    ms: log.use_time_ms > 0 ? log.use_time_ms : answer.ms,
    quota: log.quota,
    channel: isAdmin ? await channelOf(log) : "",
  };
}

/** Sends it; afterwards the lists show what it used. */
export function useTestCall(token: TokenRow) {
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  return useMutation({
    mutationFn: (model: string) => testCall(token, model, isAdmin),
    meta: { showsOwnError: true },
    onSettled: () => client.invalidateQueries({ queryKey: ["tokens", "list"] }),
  });
}
