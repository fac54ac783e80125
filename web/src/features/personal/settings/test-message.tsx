/** Sends the test message and shows what the receiver answered. */
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sendTestMessage } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { StatusDot } from "../../../ui/display/tags.tsx";
import styles from "./settings-card.module.css";

/** @param isDirty what would be tested is not what the form shows */
export function TestMessage({ isDirty }: { isDirty: boolean }) {
  const { t } = useTranslation("personal");
  const test = useMutation({ mutationFn: () => call(sendTestMessage, {}) });
  const { data: result } = test;
  return (
    <>
      <BusyButton isBusy={test.isPending} disabled={isDirty} onClick={() => test.mutate()}>
        {t("test.send")}
      </BusyButton>
      <span className={styles.hint}>{isDirty && t("test.saveFirst")}</span>
      {result && !isDirty && (
        <div className={styles.answer} role="status">
          <StatusDot tone={result.is_delivered ? "green" : "red"}>
            {result.is_delivered ? t("test.delivered") : t(`failure.${result.failure}`)}
          </StatusDot>
          {result.answer !== "" && <div>{t("test.answer", { answer: result.answer })}</div>}
        </div>
      )}
    </>
  );
}
