/** Asking a model once more. */
import { useTranslation } from "react-i18next";
import { confirm } from "../../../ui/feedback/confirm.ts";
import type { MessageProps } from "./message-props.ts";

/** Asks before words are thrown away that somebody may want to keep. */
export function useRetry({ message, laneId, acts, laterCount }: MessageProps): () => Promise<void> {
  const { t } = useTranslation("playground");
  return async () => {
    const isSure =
      laterCount === 0 ||
      (await confirm({
        title: t("retry.title"),
        text: t("retry.text", { count: laterCount }),
        action: t("retry.action"),
      }));
    if (isSure) acts.retry(laneId, message.id);
  };
}
