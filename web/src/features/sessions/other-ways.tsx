/** Signing in and registering with an account of another site: one button for each that the site has switched on. */
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { begin, goToPage, inviteCode, nameOfWay, otherWays } from "../../ui/identities/ways.ts";
import type { OtherWay } from "../../ui/identities/ways.ts";
import { call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { IdentityMark } from "../../ui/identities/identity-mark.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import type { LoginAnswer } from "./enter.ts";
import styles from "./other-ways.module.css";

const WechatDialog = lazy(async () => ({
  default: (await import("../../ui/identities/wechat-dialog.tsx")).WechatDialog,
}));
const TelegramDialog = lazy(async () => ({
  default: (await import("../../ui/identities/telegram-dialog.tsx")).TelegramDialog,
}));

/** Characters of a name that half of a phone's card has room for. */
const LONGEST_OF_HALF = 12;

interface OtherWaysProps {
  /** True where it stands below a form: a line divides the two. */
  isBelowForm: boolean;
  /** Of the ways that end on this page. */
  onLogin: (answer: LoginAnswer) => Promise<void>;
}

/** Nothing where no way is on. */
export function OtherWays({ isBelowForm, onLogin }: OtherWaysProps) {
  const { t } = useTranslation("sessions");
  const ways = otherWays(useStatus());
  const { next } = useSearch({ strict: false });
  const [opened, setOpened] = useState<string>();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<string>();
  if (ways.length === 0) return null;
  const take = ({ provider }: OtherWay) => {
    setError(undefined);
    if (provider === "wechat" || provider === "telegram") return setOpened(provider);
    setBusy(provider);
    goToPage(provider, { bind: false, next }).catch((failure: unknown) => {
      setBusy(undefined);
      setError(describeError(failure).message);
    });
  };
  const signInWith = async (code: string) => {
    const { wechatSignInByPost } = await import("../../../../contract/src/features/identities.ts");
    const { state } = await begin("wechat", { bind: false, next });
    const answer = await call(wechatSignInByPost, { body: { code, aff: inviteCode(), state } });
    setOpened(undefined);
    await onLogin(answer);
  };
  const close = () => setOpened(undefined);
  return (
    <div className={styles.ways}>
      {isBelowForm && <p className={styles.line}>{t("otherWays.or")}</p>}
      {error !== undefined && <Notice tone="red">{error}</Notice>}
      <div className={styles.buttons} data-is-many={ways.length > 2 || undefined}>
        {ways.map((way) => (
          <WayButton key={way.provider} way={way} isBusy={busy === way.provider} onClick={() => take(way)} />
        ))}
      </div>
      <Suspense fallback={null}>
        {opened === "wechat" && <WechatDialog onCode={signInWith} onClose={close} />}
        {opened === "telegram" && <TelegramDialog bind={false} next={next} onClose={close} />}
      </Suspense>
    </div>
  );
}

function WayButton({ way, isBusy, onClick }: { way: OtherWay; isBusy: boolean; onClick: () => void }) {
  const { t } = useTranslation(["sessions", "ui"]);
  const name = nameOfWay(t, way);
  return (
    <PlainButton
      isLarge
      isBusy={isBusy}
      className={[...name].length > LONGEST_OF_HALF ? styles.wide : undefined}
      aria-label={t("otherWays.with", { name })}
      onClick={onClick}
    >
      <IdentityMark provider={way.provider} />
      <span className={styles.name}>{name}</span>
    </PlainButton>
  );
}
