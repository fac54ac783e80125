/** Saved lists of models: a dialog over the channel's form in which one click fills the models, and the present ones are saved as another list. */
import { TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { PREFILL_NAME_MAX, type PrefillGroup } from "../../../../../contract/src/family/prefill-groups.ts";
import { createPrefillGroup, deletePrefillGroup } from "../../../../../contract/src/features/groups.ts";
import { call } from "../../../lib/api.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { FieldLink } from "../../../ui/form/fields.tsx";
import { IconButton, PlainButton, unlessOff } from "../../../ui/plain.tsx";
import styles from "../dialogs.module.css";
import { addModels } from "../model/models.ts";
import { SAVED_LISTS_KEY, savedListsQuery } from "../queries.ts";

/** Over drawers, under toasts and questions. */
const LAYER = 300;

interface ListsProps {
  models: readonly string[];
  onChange: (models: readonly string[]) => void;
}

const namesOf = ({ items }: PrefillGroup): readonly string[] => (Array.isArray(items) ? items : []);

function useListActs() {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: SAVED_LISTS_KEY });
  const save = useMutation({
    mutationFn: (body: { name: string; items: string[] }) =>
      call(createPrefillGroup, { body: { ...body, type: "model" } }),
    onSettled,
  });
  const remove = useMutation({ mutationFn: (id: number) => call(deletePrefillGroup, { params: { id } }), onSettled });
  return { save, remove };
}

function SaveForm({
  models,
  isBusy,
  onSave,
}: {
  models: readonly string[];
  isBusy: boolean;
  onSave: (name: string) => Promise<unknown>;
}) {
  const { t } = useTranslation("channel-editor");
  const [name, setName] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The form of the channel is around this one in React's tree.
    event.stopPropagation();
    if (name.trim() === "") return setIsMissing(true);
    void onSave(name.trim()).then(
      () => setName(""),
      () => undefined,
    );
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextInput
        label={t("lists.name")}
        description={t("lists.saves", { count: models.length })}
        inputWrapperOrder={["label", "input", "description", "error"]}
        maxLength={PREFILL_NAME_MAX}
        value={name}
        error={isMissing && name.trim() === "" ? t("lists.nameMissing") : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <div className={styles.actions}>
        <BusyButton type="submit" isBusy={isBusy} disabled={models.length === 0}>
          {t("lists.save")}
        </BusyButton>
      </div>
    </form>
  );
}

function Lists({ models, onChange }: ListsProps) {
  const { t } = useTranslation("channel-editor");
  const { data, isError } = useQuery(savedListsQuery);
  const { save, remove } = useListActs();
  const lists = (data ?? []).filter(({ type }) => type === "model");
  const askRemoval = async ({ id, name }: PrefillGroup) => {
    const question = {
      title: t("lists.deleteTitle", { name: visible(name) }),
      text: t("lists.deleteText"),
      action: t("lists.delete"),
    };
    if (await confirm(question)) remove.mutate(id);
  };
  return (
    <>
      {(isError || lists.length === 0) && (
        <p className={styles.text}>
          {isError ? t("lists.failed") : data === undefined ? t("lists.loading") : t("lists.none")}
        </p>
      )}
      <ul className={styles.models}>
        {lists.map((list) => (
          <li key={list.id} className={styles.model}>
            <span className={styles.modelText}>
              {visible(list.name)}
              <span className={styles.note}>{t("lists.count", { count: namesOf(list).length })}</span>
            </span>
            <PlainButton
              {...unlessOff(
                namesOf(list).every((model) => models.includes(model)),
                () => onChange(addModels(models, namesOf(list)).models),
              )}
            >
              {t("lists.add")}
            </PlainButton>
            <IconButton label={t("lists.deleteOf", { name: visible(list.name) })} onClick={() => void askRemoval(list)}>
              <IconTrash size={14} stroke={1.5} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <SaveForm
        models={models}
        isBusy={save.isPending}
        onSave={(name) => save.mutateAsync({ name, items: [...models] })}
      />
    </>
  );
}

/** The link that opens the lists. */
export function SavedListsLink(props: ListsProps) {
  const { t } = useTranslation("channel-editor");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <FieldLink onClick={() => setIsOpen(true)}>{t("lists.open")}</FieldLink>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t("lists.title")} layer={LAYER}>
        <Lists {...props} />
      </Dialog>
    </>
  );
}
