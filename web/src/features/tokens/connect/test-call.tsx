/** A real call with a token and a model, and its receipt. */
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { formatDurationMs, formatNumber, formatQuota } from "../../../lib/format.ts";
import { type Shortage, shownShortage } from "../../../lib/shortage.ts";
import { Copy, CopyButton } from "../../../ui/display/copy.tsx";
import styles from "./connect.module.css";
import { getOwnReceipt, listLogs, type UserLog } from "../../../../../contract/src/features/logs.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { useMay } from "../../../lib/viewer.ts";
import { fullKey } from "../model/key.ts";
import { operationOf } from "../../../../../contract/src/connect/programs.ts";
import { type CallAnswer, CallRefused, readAnswer, testBody } from "../model/test-answer.ts";

interface TestReceipt {
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

/** The channel that answered, from the log that only administrators may read. */
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

async function testCall(
  token: TokenRow,
  model: string,
  isAdmin: boolean,
  onOwnCall: (requestId: string) => void,
): Promise<TestReceipt> {
  const answer = await sendCall(token, model);
  if (answer.requestId !== undefined) onOwnCall(answer.requestId);
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
function useTestCall(token: TokenRow, onOwnCall: (requestId: string) => void) {
  const client = useQueryClient();
  const isAdmin = useMay("logs");
  return useMutation({
    mutationFn: (model: string) => testCall(token, model, isAdmin, onOwnCall),
    meta: { showsOwnError: true },
    onSettled: () => client.invalidateQueries({ queryKey: ["tokens", "list"] }),
  });
}

/** A call's cost has 6 decimals. */
const COST_DECIMALS = 6;

function Receipt({ receipt }: { receipt: TestReceipt }) {
  const { t } = useTranslation("connect");
  const parts = [
    receipt.tokens !== undefined &&
      t("test.tokens", { count: receipt.tokens, formatted: formatNumber(receipt.tokens) }),
    receipt.quota === undefined ? t("test.notLogged") : formatQuota(receipt.quota, COST_DECIMALS),
  ].filter((part) => part !== false);
  return (
    <>
      <b>{t("test.answered", { time: formatDurationMs(receipt.ms) })}</b>{" "}
      {receipt.channel !== "" && <>{t("test.by", { channel: receipt.channel })} </>}
      <span className={styles.receiptInfo}>{parts.join(t("test.separator"))}</span>
    </>
  );
}

/** A balance that does not reach, with the amounts and the way to the wallet. */
function Lacks({ shortage }: { shortage: Shortage }) {
  const { t } = useTranslation("connect");
  return (
    <>
      {t(shortage.left === undefined ? "test.needs" : "test.lacks", shownShortage(shortage))}{" "}
      <Link to="/topup">{t("test.topUp")}</Link>
    </>
  );
}

function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation("connect");
  const requestId = error instanceof CallRefused ? error.requestId : undefined;
  const status = error instanceof CallRefused ? error.status : 0;
  const shortage = error instanceof CallRefused ? error.shortage : undefined;
  const message = error instanceof TypeError ? t("test.unreachable") : error.message;
  return (
    <>
      <b>{status === 0 ? t("test.failed") : t("test.refused", { status })}</b>{" "}
      {shortage === undefined ? message : <Lacks shortage={shortage} />}
      {requestId && (
        <span className={styles.requestId}>
          <Copy text={requestId} label={t("test.copyRequestId")} isIconShown>
            <span className="mono">{requestId}</span>
          </Copy>
        </span>
      )}
    </>
  );
}

/** Sends the call and shows what came of it; its request id is on the clipboard at a click. */
export function TestCall({
  token,
  model,
  onOwnCall,
}: {
  token: TokenRow;
  model: string;
  /** Hears of the call, so that it is not taken for a program's. */
  onOwnCall: (requestId: string) => void;
}) {
  const { t } = useTranslation("connect");
  const test = useTestCall(token, onOwnCall);
  const state = test.isPending ? "running" : test.isError ? "failed" : test.isSuccess ? "done" : "idle";
  return (
    <div className={styles.test} data-state={state}>
      <span className={styles.testDot} aria-hidden />
      <div className={styles.testText} role="status">
        {state === "idle" && t("test.explain", { model })}
        {state === "running" && t("test.running", { model })}
        {test.isSuccess && <Receipt receipt={test.data} />}
        {test.isError && <Refusal error={test.error} />}
      </div>
      {test.data?.requestId && (
        <>
          {test.data.quota !== undefined && (
            <Link to="/log" search={{ request_id: test.data.requestId }} className={styles.receiptLink ?? ""}>
              {t("test.receipt")}
            </Link>
          )}
          <CopyButton text={test.data.requestId} label={t("test.copyRequestId")} />
        </>
      )}
      <BusyButton
        size="xs"
        leftSection={<IconPlayerPlay size={14} stroke={1.5} />}
        isBusy={test.isPending}
        disabled={token.status !== TOKEN_STATUS.enabled}
        onClick={() => test.mutate(model)}
      >
        {t(state === "idle" || state === "running" ? "test.send" : "test.again")}
      </BusyButton>
    </div>
  );
}
