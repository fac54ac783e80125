/** The call that is asked about: model and size, and whose it would be. */
import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../../ui/busy-button.tsx";
import { OptionalLabel } from "../../ui/form/fields.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { enabledModelsQuery, groupNamesQuery } from "./queries.ts";
import styles from "./routing.module.css";
import { OPERATIONS, type RoutingSearch } from "./route.ts";

interface QuestionFormProps {
  search: RoutingSearch;
  onAsk: (question: RoutingSearch) => void;
  isAsking: boolean;
  /** Refusals of the server by the name of their field. */
  errors: Readonly<Record<string, string | undefined>>;
}

interface Fields {
  model: string;
  user: string;
  token: number | undefined;
  group: string;
  input: number | undefined;
  operation: (typeof OPERATIONS)[number];
}

const fieldsOf = ({ model = "", user = "", token, group = "", input, operation = "chat" }: RoutingSearch): Fields => ({
  model,
  user,
  token,
  group,
  input,
  operation,
});

const filled = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim());

const questionOf = ({ model, user, token, group, input, operation }: Fields): RoutingSearch => ({
  model: filled(model),
  user: filled(user),
  token,
  group: filled(group),
  input: input === 0 ? undefined : input,
  operation: operation === "chat" ? undefined : operation,
  request: undefined,
});

interface PartProps {
  fields: Fields;
  set: (change: Partial<Fields>) => void;
  errors: QuestionFormProps["errors"];
}

function CallFields({ fields, set, isModelMissing }: PartProps & { isModelMissing: boolean }) {
  const { t } = useTranslation("routing");
  const models = useQuery(enabledModelsQuery);
  return (
    <>
      <Autocomplete
        data-autofocus
        className={styles.long ?? ""}
        label={t("form.model")}
        data={models.data ?? []}
        limit={50}
        value={fields.model}
        error={isModelMissing ? t("form.modelMissing") : undefined}
        onChange={(model) => set({ model })}
      />
      <Select
        label={t("form.operation")}
        data={OPERATIONS.map((value) => ({ value, label: t(`operation.${value}`) }))}
        value={fields.operation}
        allowDeselect={false}
        onChange={(value) => set({ operation: OPERATIONS.find((each) => each === value) ?? "chat" })}
      />
      <NumberField
        label={<OptionalLabel>{t("form.input")}</OptionalLabel>}
        min={0}
        value={fields.input}
        onChange={(input) => set({ input })}
      />
    </>
  );
}

function CallerFields({ fields, set, errors }: PartProps) {
  const { t } = useTranslation("routing");
  const groups = useQuery(groupNamesQuery);
  return (
    <>
      <TextInput
        label={<OptionalLabel>{t("form.user")}</OptionalLabel>}
        placeholder={t("form.userPlaceholder")}
        value={fields.user}
        error={errors["user"]}
        onChange={(event) => set({ user: event.currentTarget.value })}
      />
      <NumberField
        label={<OptionalLabel>{t("form.token")}</OptionalLabel>}
        min={1}
        value={fields.token}
        error={errors["token"]}
        onChange={(token) => set({ token })}
      />
      <Select
        className={styles.long ?? ""}
        label={<OptionalLabel>{t("form.group")}</OptionalLabel>}
        placeholder={t("form.groupPlaceholder")}
        data={[...new Set([...(groups.data ?? []), ...(fields.group === "" ? [] : [fields.group])])]}
        value={fields.group === "" ? null : fields.group}
        clearable
        onChange={(group) => set({ group: group ?? "" })}
      />
    </>
  );
}

export function QuestionForm({ search, onAsk, isAsking, errors }: QuestionFormProps) {
  const { t } = useTranslation("routing");
  const address = JSON.stringify(search);
  const [shown, setShown] = useState(address);
  const [fields, setFields] = useState(() => fieldsOf(search));
  const [isModelMissing, setIsModelMissing] = useState(false);
  // Back and links ask other questions; the form stays, and with it the focus.
  if (shown !== address) {
    setShown(address);
    setFields(fieldsOf(search));
    setIsModelMissing(false);
  }
  const set = (change: Partial<Fields>) => setFields((old) => ({ ...old, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const question = questionOf(fields);
    setIsModelMissing(question.model === undefined);
    if (question.model !== undefined) onAsk(question);
  };
  const part = { fields, set, errors };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <CallFields {...part} isModelMissing={isModelMissing && fields.model.trim() === ""} />
      <CallerFields {...part} />
      <div className={styles.submit}>
        <BusyButton type="submit" variant="filled" isBusy={isAsking}>
          {t("form.explain")}
        </BusyButton>
      </div>
    </form>
  );
}
