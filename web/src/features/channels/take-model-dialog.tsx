/** Removes one model from the selected channels. */
import { Autocomplete, Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { splitList } from "../../../../contract/src/query.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import styles from "./dialogs.module.css";
import { mayTake } from "./impact.ts";
import type { Chosen } from "./model/chosen.ts";
import { useTakeModelOff } from "./mutations.ts";
import { DIALOG_LAYER } from "./set-tag-dialog.tsx";

interface Props {
  chosen: Chosen;
  onDone: () => void;
  onClose: () => void;
}

export function TakeModelDialog({ chosen, onDone, onClose }: Props) {
  const { t } = useTranslation("channels");
  const [model, setModel] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const models = [...new Set(chosen.channels.flatMap((channel) => splitList(channel.models)))].toSorted();
  const take = useTakeModelOff();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (model.trim() === "") return setIsMissing(true);
    const question = { ...chosen.choice, act: "take_model" as const, model: model.trim() };
    try {
      if (!(await mayTake(question))) return;
    } catch (error) {
      toast.error(error, t("takeModel.notAsked"));
      return;
    }
    await take.mutateAsync({ choice: chosen.choice, model: model.trim() });
    onDone();
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={t("takeModel.title", { count: chosen.count })} layer={DIALOG_LAYER}>
      <form className={styles.form} onSubmit={(event) => void submit(event).catch(() => undefined)} noValidate>
        <Autocomplete
          data-autofocus
          label={t("takeModel.label")}
          description={t("takeModel.help")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          data={models}
          limit={100}
          value={model}
          error={isMissing && model.trim() === "" ? t("takeModel.missing") : undefined}
          comboboxProps={{ zIndex: DIALOG_LAYER + 1 }}
          onChange={setModel}
        />
        <div className={styles.actions}>
          <Button onClick={onClose}>{t("ui:cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={take.isPending}>
            {t("takeModel.save")}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
