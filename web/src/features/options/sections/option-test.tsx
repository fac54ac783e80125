/** Tests of a section's settings as they are typed, before they are saved: a button, and what each step showed, where it was asked. */
import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { sendTestMail, testOptions } from "../../../../../contract/src/features/options.ts";
import { type OptionTestName, type OptionTestStep } from "../../../../../contract/src/options/option-tests.ts";
import { OPTION_TESTS } from "../../../../../contract/src/options/tested-options.ts";
import type { BuiltInWay } from "../../../../../contract/src/ways-in.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { useStore } from "../../../lib/store.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { FieldError, FieldLink } from "../../../ui/form/fields.tsx";
import { TestSteps } from "../../../ui/identities/test-steps.tsx";
import type { DraftStore } from "../draft/draft-store.ts";
import { type SectionDraft, useSettings } from "../draft/settings.ts";
import styles from "./sections.module.css";

/** What is typed in the section and is not stored, by option. */
function typedOf(store: DraftStore, what: OptionTestName): Record<string, string> {
  const states = OPTION_TESTS[what].options.map((name) => ({ name, ...store.option(name) }));
  return Object.fromEntries(states.filter(({ isDirty }) => isDirty).map(({ name, text }) => [name, text]));
}

/** A test mail with the stored options is every administrator's to send. */
async function askMail(to: string): Promise<OptionTestStep[]> {
  const { is_delivered: is_passed, failure, answer } = await call(sendTestMail, { body: { to } });
  return [{ step: "mail", is_passed, reason: failure, answer }];
}

interface Asked {
  /** The typed options as text: a result stands only while they are still these. */
  typed: string;
  steps: readonly OptionTestStep[];
}

/** Runs the test; it gives undefined where the person gave up confirming who they are. */
function useOptionTest(what: OptionTestName, isOwner: boolean) {
  const { store } = useSettings();
  useStore(store);
  const test = useMutation({
    meta: { showsOwnError: true },
    mutationFn: async (to: string): Promise<Asked | undefined> => {
      // What is being fetched into the draft belongs to it.
      await store.settled();
      const options = typedOf(store, what);
      const body = { what, options, to };
      const steps = isOwner ? await withStepUp(() => call(testOptions, { body })) : await askMail(to);
      return steps && { typed: JSON.stringify(options), steps };
    },
  });
  const isNow = test.data?.typed === JSON.stringify(typedOf(store, what));
  return { ...test, steps: isNow ? test.data?.steps : undefined };
}

/** The refusal of the test itself, with the way to the option that it names. */
function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation("options");
  const { descriptions, jump } = useSettings();
  const field = error instanceof ApiError ? error.field : undefined;
  const isOption = field !== undefined && descriptions.has(field);
  return (
    <>
      <FieldError error={error.message} />
      {isOption && (
        <FieldLink onClick={() => jump(field)}>
          {t("optionTest.goTo", { name: t(`option.${field}.label`, { defaultValue: field }) })}
        </FieldLink>
      )}
    </>
  );
}

function OptionTest({
  draft,
  what,
  hasMail = false,
}: {
  draft: SectionDraft;
  what: OptionTestName;
  hasMail?: boolean;
}) {
  const { t } = useTranslation("options");
  const isOwner = isRoot(useSettings().viewer?.role ?? 0);
  const [to, setTo] = useState("");
  const { mutate, isPending, steps, error } = useOptionTest(what, isOwner);
  if (!isOwner && !hasMail) return null;
  const isOff = hasMail && draft.option("SMTPServer").text.trim() === "";
  const cannot = isOff || (hasMail && to.trim() === "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!cannot) mutate(to);
  };
  const label = <span className={styles.label}>{t(`optionTest.${what}.label`)}</span>;
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        {hasMail ? <label htmlFor="mail-test-to">{label}</label> : label}
        <p className={styles.help} id={`${what}-test-help`}>
          {isOff ? t("optionTest.mail.off") : t(`optionTest.${what}.help`)}
        </p>
        {error !== null && <Refusal error={error} />}
      </div>
      <form className={styles.act} onSubmit={submit}>
        {hasMail && (
          <TextInput
            id="mail-test-to"
            aria-describedby={`${what}-test-help`}
            type="email"
            autoComplete="email"
            placeholder={t("optionTest.mail.to")}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        )}
        <BusyButton type="submit" isBusy={isPending} disabled={cannot} aria-describedby={`${what}-test-help`}>
          {t(hasMail ? "optionTest.mail.send" : `optionTest.${what}.act`)}
        </BusyButton>
      </form>
      <div className={styles.result} role="status">
        {steps !== undefined && <TestSteps steps={steps} />}
      </div>
    </div>
  );
}

type Props = { draft: SectionDraft };

export const MailTest = ({ draft }: Props) => <OptionTest draft={draft} what="smtp" hasMail />;
/** The test of a way of signing in at another site. */
export const WayTest = ({ draft, way }: Props & { way: BuiltInWay }) => <OptionTest draft={draft} what={way} />;
export const EpayTest = ({ draft }: Props) => <OptionTest draft={draft} what="epay" />;
export const StripeTest = ({ draft }: Props) => <OptionTest draft={draft} what="stripe" />;
export const AlipayTest = ({ draft }: Props) => <OptionTest draft={draft} what="alipay" />;
export const SearchTest = ({ draft }: Props) => <OptionTest draft={draft} what="web_search" />;
export const WechatPayTest = ({ draft }: Props) => <OptionTest draft={draft} what="wechat_pay" />;
