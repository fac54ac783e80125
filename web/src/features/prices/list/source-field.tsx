/** The address that newer lists are fetched from: the option PriceListUrl, in its place. */
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { useRole } from "../../../lib/viewer.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { updateOption } from "../../../../../contract/src/features/options.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { optionRowsQuery } from "./queries.ts";
import styles from "./list.module.css";

const KEY = "PriceListUrl";
/** Where genai-prices publishes its list, which the product's own is made of. */
const SUGGESTED = "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json";

function useSave(onSaved: () => void) {
  const { t } = useTranslation("prices");
  const client = useQueryClient();
  const revision = useQuery(optionRowsQuery).data?.find(({ key }) => key === KEY)?.revision;
  return useMutation({
    mutationFn: (value: string) =>
      withStepUp(() =>
        call(updateOption, { body: { key: KEY, value, ...(revision === undefined ? {} : { revision }) } }).then(
          () => true,
        ),
      ),
    meta: { showsOwnError: true },
    onSuccess: async (isStored) => {
      if (isStored !== true) return;
      await Promise.all([
        client.invalidateQueries({ queryKey: ["options"] }),
        client.invalidateQueries({ queryKey: ["prices", "list"] }),
      ]);
      toast.success(t("list.source.saved"));
      onSaved();
    },
    onError: (error) => {
      // What somebody else has set meanwhile is read before it is saved over.
      if (error instanceof ApiError && error.code === "option_changed")
        void client.invalidateQueries({ queryKey: ["options"] });
    },
  });
}

/** @param source the address as it is stored, "" where none is */
export function SourceField({ source }: { source: string }) {
  const { t } = useTranslation("prices");
  const isReadOnly = !isRoot(useRole());
  const [typed, setTyped] = useState<string>();
  const value = typed ?? source;
  const save = useSave(() => setTyped(undefined));
  const isOther = value.trim() !== source;
  const isBad = value.trim() !== "" && !value.trim().startsWith("https://");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isOther && !isBad && !save.isPending) save.mutate(value.trim());
  };
  return (
    <form className={styles.source} onSubmit={submit}>
      <TextInput
        className={styles.address ?? ""}
        label={t("list.source.label")}
        description={isReadOnly ? `${t("list.source.help")} ${t("list.source.readOnly")}` : t("list.source.help")}
        readOnly={isReadOnly}
        inputWrapperOrder={["label", "input", "error", "description"]}
        placeholder={SUGGESTED}
        type="text"
        inputMode="url"
        spellCheck={false}
        autoComplete="off"
        value={value}
        error={isOther && isBad ? t("list.source.https") : save.error?.message}
        onChange={(event) => {
          save.reset();
          setTyped(event.currentTarget.value);
        }}
      />
      <div className={styles.sourceActs}>
        {value === "" && !isReadOnly && <Button onClick={() => setTyped(SUGGESTED)}>{t("list.source.suggest")}</Button>}
        {isOther && (
          <BusyButton type="submit" isBusy={save.isPending} disabled={isBad}>
            {t("list.source.save")}
          </BusyButton>
        )}
      </div>
    </form>
  );
}
