/** The drawer that invites people by mail: addresses, what their accounts begin with, and the invitations that were sent. */
import { Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import { INVITATION_DAYS_MOST, INVITED_AT_ONCE, type NewInvitations } from "../../../../contract/src/people.ts";
import { useMay } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { amountQuota, signWidth, useQuotaView } from "../../ui/form/amount.ts";
import { ChoiceSelect } from "../../ui/form/choice-select.tsx";
import { Field, FieldError, OptionalLabel } from "../../ui/form/fields.tsx";
import { FormDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Invitations } from "./invitations.tsx";
import { groupsQuery, useInviteUsers } from "./queries.ts";

type InviteField = "emails" | "group" | "quota" | "days";
type InviteForm = Record<InviteField, string>;
/** Field of the form for a field the server refused. */
const SENT_AS: Readonly<Record<string, InviteField>> = {
  email: "emails",
  emails: "emails",
  group: "group",
  quota: "quota",
  valid_days: "days",
};
const START: InviteForm = { emails: "", group: "", quota: "", days: "7" };

const addressesIn = (text: string): string[] => text.split(/[\s,;]+/).filter((address) => address !== "");

function useInviteForm() {
  const { t } = useTranslation("users");
  const view = useQuotaView();
  const form = useForm<InviteForm, InviteField>({
    start: () => START,
    check: ({ emails, quota, days }) => {
      const count = addressesIn(emails).length;
      return {
        ...(count === 0 && { emails: { key: "emailsMissing" } }),
        ...(count > INVITED_AT_ONCE && { emails: { key: "emailsMany", values: { count: INVITED_AT_ONCE } } }),
        ...(quota.trim() !== "" && amountQuota(quota, view) === undefined && { quota: { key: "quota" } }),
        ...(!(/^\d{1,2}$/.test(days) && Number(days) >= 1 && Number(days) <= INVITATION_DAYS_MOST) && {
          days: { key: "days", values: { count: INVITATION_DAYS_MOST } },
        }),
      };
    },
    sentence: (key, values) => t(`invite.errors.${key}`, values),
    refusedField: (name) => SENT_AS[name],
  });
  return { ...form, view };
}

type State = ReturnType<typeof useInviteForm>;

/** Group and quota are for who may move money. */
function StartFields({ state: { values, change, errorOf, view } }: { state: State }) {
  const { t } = useTranslation("users");
  const groups = useQuery(groupsQuery).data ?? [];
  const choices = [
    { value: "", text: t("invite.usualGroup") },
    ...groups.map((group) => ({ value: group, text: group })),
  ];
  return (
    <>
      <Field label={t("columns.group")} htmlFor="invite-group">
        <ChoiceSelect
          id="invite-group"
          labelledBy="invite-group-label"
          choices={choices}
          value={values.group}
          onChange={(group) => change({ group })}
        />
        <FieldError error={errorOf("group")} />
      </Field>
      <TextInput
        label={<OptionalLabel>{t("invite.quota")}</OptionalLabel>}
        description={errorOf("quota") === undefined ? t("invite.quotaHelp") : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={values.quota}
        inputMode="decimal"
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
        error={errorOf("quota")}
        onChange={(event) => change({ quota: event.currentTarget.value })}
      />
    </>
  );
}

export function InviteDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("users");
  const state = useInviteForm();
  const { values, change, errorOf } = state;
  const invite = useInviteUsers();
  const mayGive = useMay("money");
  const send = async ({ emails, group, quota, days }: InviteForm) => {
    const body: NewInvitations = {
      emails: addressesIn(emails),
      ...(group !== "" && { group }),
      quota: amountQuota(quota, state.view) ?? 0,
      valid_days: Number(days),
    };
    const { invited } = await invite.mutateAsync(body);
    state.change(START);
    toast.success(t("invite.sent", { count: invited }));
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("invite.title")}
      isDirty={state.isDirty}
      onSubmit={() => state.submit(send, { failed: t("invite.notSent") })}
      submitLabel={t("invite.send")}
      hint={t("invite.hint")}
    >
      <FormSection title={t("invite.people")}>
        <Textarea
          data-autofocus
          label={t("invite.emails")}
          description={t("invite.emailsHelp", { count: INVITED_AT_ONCE })}
          inputWrapperOrder={["label", "input", "description", "error"]}
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          value={values.emails}
          error={errorOf("emails")}
          onChange={(event) => change({ emails: event.currentTarget.value })}
        />
        {mayGive && <StartFields state={state} />}
        <TextInput
          label={t("invite.days")}
          inputMode="numeric"
          value={values.days}
          error={errorOf("days")}
          onChange={(event) => change({ days: event.currentTarget.value })}
        />
      </FormSection>
      <Invitations />
    </FormDrawer>
  );
}
