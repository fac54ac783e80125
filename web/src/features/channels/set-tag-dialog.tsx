/** Sets the tag of the selected channels. */
import { Autocomplete, Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import styles from "./dialogs.module.css";
import type { Chosen } from "./model/chosen.ts";
import { useTagChannels } from "./mutations.ts";
import { useTagNames } from "./queries.ts";

/** Over drawers, under toasts. */
export const DIALOG_LAYER = 300;

export function SetTagDialog({ chosen, onDone, onClose }: { chosen: Chosen; onDone: () => void; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [tag, setTag] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const tags = useTagNames();
  // Channels of other pages are not known.
  const mayHaveTags = chosen.areAllMatching || chosen.channels.some((channel) => channel.tag !== "");
  const save = useTagChannels();
  const put = async (next: string | null) => {
    await save.mutateAsync({ choice: chosen.choice, tag: next });
    onDone();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag.trim() === "") setIsMissing(true);
    else void put(tag.trim()).catch(() => undefined);
  };
  return (
    <Dialog isOpen onClose={onClose} title={t("setTag.title", { count: chosen.count })} layer={DIALOG_LAYER}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <Autocomplete
          data-autofocus
          label={t("setTag.label")}
          description={t("setTag.help")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          data={tags}
          value={tag}
          error={isMissing && tag.trim() === "" ? t("errors.tagMissing") : undefined}
          comboboxProps={{ zIndex: DIALOG_LAYER + 1 }}
          onChange={setTag}
        />
        <div className={styles.actions}>
          {mayHaveTags && (
            <Button
              variant="subtle"
              className={styles.left ?? ""}
              onClick={() => void put(null).catch(() => undefined)}
            >
              {t("setTag.none")}
            </Button>
          )}
          <Button onClick={onClose}>{t("ui:cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={save.isPending}>
            {t("setTag.save")}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
