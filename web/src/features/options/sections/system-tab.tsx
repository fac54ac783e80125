/** The parts of the System tab in one file, so that the tab loads with one more script and not with one for each part. */
import { useTranslation } from "react-i18next";
import { WEBHOOKS } from "../../../../../contract/src/payments/methods.ts";
import { type BuiltInWay, titleOfWay } from "../../../../../contract/src/ways-in.ts";
import { useStatus } from "../../../lib/status.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { AddressToCopy, CallbackAddress } from "../../../ui/identities/callback-address.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { type FieldProps, type SectionDraft, useSettings } from "../draft/settings.ts";
import { SwitchField } from "../fields/plain-fields.tsx";
import styles from "./sections.module.css";

export { EmailDomainsField } from "./email-domains-field.tsx";
export { MailTest } from "./mail-test.tsx";
export { QrCodeField } from "./picture-fields.tsx";
export { WellKnownField } from "./well-known-field.tsx";

/** The switch of password login: turning it off is asked about first, and what is not confirmed stays on. */
export function PasswordLoginField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field } = props;
  const set = async (text: string) => {
    const isSure =
      text === "true" ||
      (await confirm({
        title: t("passwordLogin.title"),
        text: t("passwordLogin.text"),
        action: t("passwordLogin.action"),
      }));
    if (isSure) field.set(text);
  };
  return <SwitchField {...props} field={{ ...field, set: (text) => void set(text) }} />;
}

/** The callback address of a provider, with where it has to be entered there. */
export function Callback({ way }: { way: BuiltInWay }) {
  const { t } = useTranslation("options");
  return <CallbackAddress provider={way} help={t("callback.help", { name: titleOfWay(way) })} />;
}

interface HintProps {
  name: "wechat" | "telegram" | "turnstile";
  page?: string;
}

/** What an operator has to do at the other side before the options of a section work, in one line. */
function Hint({ name, page }: HintProps) {
  const { t } = useTranslation("options");
  const { server_address } = useStatus();
  const host = URL.parse(server_address)?.hostname ?? location.hostname;
  return (
    <p className={styles.hint}>
      {t(`hint.${name}`, { host })}{" "}
      {page !== undefined && (
        <a href={page} target="_blank" rel="noopener noreferrer">
          {t(`hint.${name}Page`)}
        </a>
      )}
    </p>
  );
}

export const WechatHint = () => <Hint name="wechat" />;
export const TelegramHint = () => <Hint name="telegram" page="https://t.me/BotFather" />;
export const TurnstileHint = () => <Hint name="turnstile" page="https://dash.cloudflare.com/?to=/:account/turnstile" />;

/** Says that payments need the address of this site first, and leads to it. */
export function PaymentNote({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const { jump } = useSettings();
  if (draft.option("ServerAddress").text.trim() !== "") return null;
  return (
    <div className={styles.result}>
      <Notice tone="blue">
        {t("payment.addressFirst")}{" "}
        <button type="button" className={styles.link} onClick={() => jump("ServerAddress")}>
          {t("payment.toAddress")}
        </button>
      </Notice>
    </div>
  );
}

/** The addresses that payment providers report to and that the operator enters there. */
export function WebhookAddresses({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const site = draft.option("ServerAddress").text.trim().replace(/\/+$/, "");
  if (site === "") return null;
  return (
    <div className={styles.result}>
      {WEBHOOKS.map(({ provider, path }) => (
        <AddressToCopy
          key={provider}
          address={`${site}${path}`}
          label={t(`payment.webhooks.${provider}.label`)}
          copyLabel={t(`payment.webhooks.${provider}.copy`)}
          help={t(`payment.webhooks.${provider}.help`)}
        />
      ))}
    </div>
  );
}
