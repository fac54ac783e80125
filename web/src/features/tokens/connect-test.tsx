/** The line at the end of the connect drawer: a real call with this key, and its receipt. */
import { IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../../ui/busy-button.tsx";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { formatDurationMs, formatNumber, formatQuota } from "../../lib/format.ts";
import { Copy, CopyButton } from "../../ui/display/copy.tsx";
import styles from "./connect-drawer.module.css";
import { CallRefused } from "./model/test-answer.ts";
import { type TestReceipt, useTestCall } from "./test-call.ts";

/** A call's cost has 6 decimals. */
const COST_DECIMALS = 6;

function Receipt({ receipt }: { receipt: TestReceipt }) {
  const { t } = useTranslation("tokens");
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

function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation("tokens");
  const requestId = error instanceof CallRefused ? error.requestId : undefined;
  const status = error instanceof CallRefused ? error.status : 0;
  const message = error instanceof TypeError ? t("test.unreachable") : error.message;
  return (
    <>
      <b>{status === 0 ? t("test.failed") : t("test.refused", { status })}</b> {message}
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
export function TestCall({ token, model }: { token: TokenRow; model: string }) {
  const { t } = useTranslation("tokens");
  const test = useTestCall(token);
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
