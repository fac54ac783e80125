/** Sends a test mail with the SMTP options that are stored, and shows what the mail server said. */
import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendTestMail } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { FieldError } from "../../../ui/form/fields.tsx";
import type { SectionDraft } from "../draft/settings.ts";
import styles from "./sections.module.css";

const NAMES = ["SMTPServer", "SMTPPort", "SMTPAccount", "SMTPFrom", "SMTPToken", "SMTPSSLEnabled"] as const;

type Result = Awaited<ReturnType<typeof send>>;
const send = (to: string) => call(sendTestMail, { body: { to } });

function Answer({ result }: { result: Result }) {
  const { t } = useTranslation("options");
  const sentence =
    result.failure === "" ? t("mailTest.sent") : t(`mailTest.failure.${result.failure}`, { defaultValue: "" });
  return (
    <div className={styles.result} role="status">
      <Notice tone={result.is_delivered ? "blue" : "red"}>
        {sentence || t("mailTest.failure.other")}
        {result.answer !== "" && <span className={styles.answer}>{result.answer}</span>}
      </Notice>
    </div>
  );
}

export function MailTest({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const [to, setTo] = useState("");
  const test = useMutation({ mutationFn: send, meta: { showsOwnError: true } });
  const isUnsaved = NAMES.some((name) => draft.option(name).isDirty);
  const isOff = draft.option("SMTPServer").row.value === "";
  const reason = isUnsaved ? t("mailTest.saveFirst") : isOff ? t("mailTest.off") : undefined;
  const submit = () => {
    if (reason === undefined && to.trim() !== "") test.mutate(to);
  };
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <label className={styles.label} htmlFor="mail-test-to">
          {t("mailTest.label")}
        </label>
        <p className={styles.help} id="mail-test-help">
          {reason ?? t("mailTest.help")}
        </p>
        <FieldError error={test.error?.message} />
      </div>
      <form
        className={styles.act}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          id="mail-test-to"
          aria-describedby="mail-test-help"
          type="email"
          autoComplete="email"
          placeholder={t("mailTest.to")}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <BusyButton type="submit" isBusy={test.isPending} disabled={reason !== undefined || to.trim() === ""}>
          {t("mailTest.send")}
        </BusyButton>
      </form>
      {test.data !== undefined && <Answer result={test.data} />}
    </div>
  );
}
