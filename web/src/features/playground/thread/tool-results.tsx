/** Where the results of a reply's tools are typed in: nothing here calls them. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import type { Lane, ToolCall } from "../model/conversation.ts";
import { openCalls } from "../model/edits.ts";
import type { ChatActs } from "../use-chat.ts";
import styles from "./thread.module.css";

function Form({
  calls,
  isBusy,
  onSend,
}: {
  calls: readonly ToolCall[];
  isBusy: boolean;
  onSend: (texts: readonly string[]) => void;
}) {
  const { t } = useTranslation("playground");
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ""));
  return (
    <form
      className={styles.results}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSend(texts);
      }}
    >
      {calls.map((call, index) => (
        <label key={call.id} className={styles.resultField}>
          <span>{t("tools.resultOf", { name: visible(call.name) })}</span>
          <textarea
            rows={2}
            className={styles.editText}
            placeholder={t("tools.placeholder")}
            value={texts[index] ?? ""}
            onChange={({ currentTarget: { value } }) =>
              setTexts(texts.map((text, at) => (at === index ? value : text)))
            }
          />
        </label>
      ))}
      <div className={styles.editFoot}>
        <span className={styles.editHint}>{t("tools.hint")}</span>
        <BusyButton type="submit" size="xs" variant="filled" isBusy={false} disabled={isBusy}>
          {t("tools.send", { count: calls.length })}
        </BusyButton>
      </div>
    </form>
  );
}

export function ToolResults({ lane, acts, isBusy }: { lane: Lane; acts: ChatActs; isBusy: boolean }) {
  const calls = openCalls(lane.messages);
  if (calls.length === 0) return null;
  return (
    <Form
      key={calls.map(({ id }) => id).join()}
      calls={calls}
      isBusy={isBusy}
      onSend={(texts) =>
        acts.answerTools(
          lane.id,
          calls.map(({ id }, index) => ({ callId: id, content: texts[index] ?? "" })),
        )
      }
    />
  );
}
