/** The fields and parts of the tab System in one file, so that the tab loads one more script and not one for each part. */
import { Button, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { WEBHOOKS } from "../../../../../contract/src/payments/methods.ts";
import type { OptionSection } from "../../../../../contract/src/options/sections.ts";
import { type BuiltInWay, titleOfWay } from "../../../../../contract/src/ways-in.ts";
import { useStatus } from "../../../lib/status.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { AddressToCopy, CallbackAddress } from "../../../ui/identities/callback-address.tsx";
import { nameOfWay } from "../../../ui/identities/ways.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { type FieldProps, type SectionDraft, useSettings } from "../draft/settings.ts";
import { SwitchField, LineField } from "../fields/plain-fields.tsx";
import styles from "./sections.module.css";
import { isEmailDomain } from "../../../../../contract/src/address.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import { unlessOff } from "../../../ui/plain.tsx";
import { discoverOidc } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { edited } from "../draft/draft.ts";
import { AlipayTest, EpayTest, StripeTest, WechatPayTest } from "./option-test.tsx";
import wellKnownStyles from "./well-known.module.css";

const ENDPOINTS = {
  authorization_endpoint: "oidc.authorization_endpoint",
  token_endpoint: "oidc.token_endpoint",
  user_info_endpoint: "oidc.user_info_endpoint",
} as const;

type State = { kind: "idle" | "fetching" | "filled" } | { kind: "failed"; message: string };

const IDLE: State = { kind: "idle" };

function useDiscovery(text: string) {
  const { store } = useSettings();
  const [state, setState] = useState<State>(IDLE);
  /** The URL that was asked for last: its answer alone counts. */
  const asked = useRef("");
  const ask = async (url: string): Promise<void> => {
    asked.current = url;
    setState({ kind: "fetching" });
    try {
      const found = await call(discoverOidc, { body: { url } });
      if (asked.current !== url) return;
      for (const [name, option] of Object.entries(ENDPOINTS)) {
        const endpoint = found[name as keyof typeof ENDPOINTS];
        store.change((draft) => edited(draft, option, endpoint, false));
      }
      setState({ kind: "filled" });
    } catch (error) {
      if (asked.current === url) setState({ kind: "failed", message: describeError(error).message });
    }
  };
  const fetchNow = () => store.hold(ask(text.trim()));
  const fetchNew = () => {
    if (text.trim() !== "" && text.trim() !== asked.current) fetchNow();
  };
  const forget = () => {
    asked.current = "";
    setState(IDLE);
  };
  return { state, fetchNow, fetchNew, forget };
}

/** The well-known URL of the OpenID provider: what it describes fills the three endpoints of the draft, and a save waits for that. */
export function WellKnownField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field } = props;
  const { state, fetchNow, fetchNew, forget } = useDiscovery(field.text);
  const set = (text: string) => {
    field.set(text);
    forget();
  };
  return (
    <div className={wellKnownStyles.place}>
      <div
        className={wellKnownStyles.row}
        onBlur={() => field.isDirty && fetchNew()}
        onKeyDown={(event) => {
          // Enter and Ctrl+S save the page, and a save takes the endpoints along.
          const saves = event.key === "Enter" || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s");
          if (saves && field.isDirty) fetchNew();
        }}
      >
        <LineField {...props} field={{ ...field, set }} />
        <BusyButton isBusy={state.kind === "fetching"} disabled={field.text.trim() === ""} onClick={fetchNow}>
          {t("discovery.fetch")}
        </BusyButton>
      </div>
      <p className={wellKnownStyles.outcome} role="status">
        {state.kind === "filled" && t("discovery.filled")}
      </p>
      <FieldError error={state.kind === "failed" ? state.message : undefined} />
    </div>
  );
}

const domainsOf = (text: string): string[] => text.split(",").filter((domain) => domain !== "");

/** Why a domain cannot be added; undefined where it can. */
const problemOf = (domain: string, known: readonly string[]): "format" | "duplicate" | undefined => {
  if (!isEmailDomain(domain)) return "format";
  return known.includes(domain) ? "duplicate" : undefined;
};

function Domain({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation("options");
  return (
    <li className={styles.domain}>
      {name}
      <button type="button" aria-label={t("domains.remove", { name })} onClick={onRemove}>
        <IconX size={13} stroke={1.5} aria-hidden />
      </button>
    </li>
  );
}

/** The list of email domains: one is typed and added by Enter, and nothing is stored before the page is saved. */
export function EmailDomainsField({ field, id, describedBy }: FieldProps) {
  const { t } = useTranslation("options");
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<"format" | "duplicate">();
  const domains = domainsOf(field.text);
  const add = () => {
    const domain = typed.trim().toLowerCase().replace(/^@/, "");
    const found = problemOf(domain, domains);
    setProblem(found);
    if (found !== undefined) return;
    field.set([...domains, domain].join(","));
    setTyped("");
  };
  const remove = (name: string) => {
    field.set(domains.filter((each) => each !== name).join(","));
    input.current?.focus();
  };
  return (
    <div className={styles.place}>
      {domains.length > 0 && (
        <ul className={styles.domains}>
          {domains.map((name) => (
            <Domain key={name} name={name} onRemove={() => remove(name)} />
          ))}
        </ul>
      )}
      <div className={styles.adding}>
        <TextInput
          ref={input}
          id={id}
          aria-describedby={describedBy}
          className={styles.input ?? ""}
          placeholder="example.org"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          error={problem !== undefined || field.problem !== undefined}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setProblem(undefined);
          }}
          // Saving would drop what was typed but not added.
          onBlur={() => {
            if (typed.trim() !== "") add();
          }}
          onKeyDown={(event) => {
            // Enter without a domain saves, as it does in every field.
            if (event.key !== "Enter" || event.nativeEvent.isComposing || typed.trim() === "") return;
            event.preventDefault();
            add();
          }}
        />
        <Button {...unlessOff(typed.trim() === "", add)}>{t("domains.add")}</Button>
      </div>
      <FieldError error={problem === undefined ? undefined : t(`domains.${problem}`)} />
    </div>
  );
}

export { QrCodeField } from "./picture-fields.tsx";

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
  const { t } = useTranslation(["options", "ui"]);
  const name = way === "oidc" ? titleOfWay(way) : nameOfWay(t, { provider: way, name: "" });
  return <CallbackAddress provider={way} help={t("callback.help", { name })} />;
}

interface HintProps {
  name: "wechat" | "telegram" | "turnstile";
  page?: string;
}

/** The step at the other side before the options of a section work, in one line. */
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
    <div className={styles.note}>
      <Notice tone="blue">
        {t("payment.addressFirst")}{" "}
        <button type="button" className={styles.link} onClick={() => jump("ServerAddress")}>
          {t("payment.toAddress")}
        </button>
      </Notice>
    </div>
  );
}

/** The addresses that a section's payment providers report to. */
function Webhooks({ draft, section }: { draft: SectionDraft; section: OptionSection }) {
  const { t } = useTranslation("options");
  const textOf = (name: "ServerAddress" | "CustomCallbackAddress") => draft.option(name).text.trim();
  // An address that goes along with an order may be another one; that of a webhook is entered by hand.
  const callback = section === "payment" ? "" : textOf("CustomCallbackAddress");
  const site = (callback === "" ? textOf("ServerAddress") : callback).replace(/\/+$/, "");
  if (site === "") return null;
  return (
    <div className={styles.result}>
      {WEBHOOKS.filter((webhook) => webhook.section === section).map(({ provider, path }) => (
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

export const AfterPayment = (props: { draft: SectionDraft }) => (
  <>
    <Webhooks {...props} section="payment" />
    <EpayTest {...props} />
    <StripeTest {...props} />
  </>
);
export const AfterAlipay = (props: { draft: SectionDraft }) => (
  <>
    <Webhooks {...props} section="alipay" />
    <AlipayTest {...props} />
  </>
);
export const AfterWechatPay = (props: { draft: SectionDraft }) => (
  <>
    <Webhooks {...props} section="wechat_pay" />
    <WechatPayTest {...props} />
  </>
);
export { MailTest, SearchTest, WayTest } from "./option-test.tsx";
