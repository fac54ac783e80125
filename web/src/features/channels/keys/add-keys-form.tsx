/** The box that takes many keys at once, and counts what was pasted before it is sent. */
import { Textarea } from "@mantine/core";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Field } from "../../../ui/form/fields.tsx";
import { KeyChoiceField, useKeyCount } from "./several-keys-fields.tsx";
import type { SeveralKeys, useKeyActs } from "./queries.ts";
import styles from "./keys.module.css";

function errorOf(error: unknown): string | undefined {
  return error instanceof ApiError && error.field === "key" ? error.message : undefined;
}

export function AddKeys({
  add,
  isFirst,
  onText,
}: {
  add: ReturnType<typeof useKeyActs>["add"];
  /** The channel has one key: how calls get one of several is chosen with the first that is added. */
  isFirst: boolean;
  onText: (hasText: boolean) => void;
}) {
  const { t } = useTranslation("channels");
  const id = useId();
  const [text, setText] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const [choice, setChoice] = useState<SeveralKeys>("random");
  const { count, words } = useKeyCount(text);
  const change = (next: string) => {
    setText(next);
    setIsMissing(false);
    onText(next.trim() !== "");
    if (add.isError) add.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return setIsMissing(true);
    const sent = { key: text, ...(isFirst ? { key_choice: choice } : {}) };
    add.mutate(sent, { onSuccess: () => change("") });
  };
  const error = isMissing ? t("errors.key") : errorOf(add.error);
  return (
    <form className={styles.add} onSubmit={submit} noValidate>
      <Field label={t("channel-keys:add")} htmlFor={id} help={words || t("channel-keys:addHelp")} error={error}>
        <Textarea
          id={id}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autosize
          minRows={2}
          maxRows={8}
          error={Boolean(error)}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      </Field>
      {isFirst && <KeyChoiceField value={choice} onChange={setChoice} />}
      <BusyButton type="submit" variant="filled" isBusy={add.isPending} className={styles.submit ?? ""}>
        {count === 0 ? t("channel-keys:addAct") : t("channel-keys:addCount", { count })}
      </BusyButton>
    </form>
  );
}
