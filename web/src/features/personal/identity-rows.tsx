/** Accounts of other sites among the ways in: each with what is bound, and the button that binds or unbinds it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { DataOf } from "../../../../contract/src/endpoint.ts";
import {
  type Binding,
  makeTelegramLink,
  unbind,
  wechatBindByPost,
} from "../../../../contract/src/features/identities.ts";
import { ApiError, call } from "../../lib/api.ts";
import { begin, goToPage, nameOfWay, otherWays } from "../../ui/identities/ways.ts";
import type { OtherWay } from "../../ui/identities/ways.ts";
import { useStatus } from "../../lib/status.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { IdentityMark } from "../../ui/identities/identity-mark.tsx";
import { Row } from "../../ui/display/card.tsx";
import { bindingsQuery } from "./queries.ts";

const StepUpDialog = lazy(async () => ({
  default: (await import("../../ui/feedback/step-up-dialog.tsx")).StepUpDialog,
}));
const WechatDialog = lazy(async () => ({
  default: (await import("../../ui/identities/wechat-dialog.tsx")).WechatDialog,
}));
const TelegramBotDialog = lazy(async () => ({
  default: (await import("./dialogs/telegram-bot-dialog.tsx")).TelegramBotDialog,
}));
const TelegramDialog = lazy(async () => ({
  default: (await import("../../ui/identities/telegram-dialog.tsx")).TelegramDialog,
}));

/** The bot binds Telegram accounts also where people do not sign in with them. */
const withBot = (offered: readonly OtherWay[], isBotOn: boolean): readonly OtherWay[] =>
  isBotOn && !offered.some(({ provider }) => provider === "telegram")
    ? [...offered, { provider: "telegram", name: "" }]
    : offered;

/** A row for each way the site offers, and for those that are bound though they were switched off since. */
export function IdentityRows() {
  const { t } = useTranslation("personal");
  const query = useQuery(bindingsQuery);
  const status = useStatus();
  const offered = withBot(otherWays(status), status.telegram_bot_enabled);
  const bound = query.data ?? [];
  const gone = bound.filter(({ provider }) => !offered.some((way) => way.provider === provider));
  if (query.isError && query.data === undefined)
    return (
      <li>
        <ErrorState title={t("identities.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      </li>
    );
  if (query.data === undefined) return null;
  return [...offered, ...gone].map((way) => (
    <WayRow key={way.provider} way={way} binding={bound.find(({ provider }) => provider === way.provider)} />
  ));
}

function WayRow({ way, binding }: { way: OtherWay; binding: Binding | undefined }) {
  const { t } = useTranslation(["personal", "ui"]);
  const name = nameOfWay(t, way);
  return (
    <Row
      icon={<IdentityMark provider={way.provider} />}
      name={name}
      value={binding === undefined ? <Faint>{t("identities.none")}</Faint> : binding.login}
      action={binding === undefined ? <Bind way={way} name={name} /> : <UnbindButton way={way} name={name} />}
    />
  );
}

interface ActProps {
  way: OtherWay;
  name: string;
}

/** Telegram's by the site's bot where that answers; it loads no script of another site. */
function Bind(props: ActProps) {
  const { telegram_bot_enabled } = useStatus();
  const isByBot = telegram_bot_enabled && props.way.provider === "telegram";
  return isByBot ? <BotButton name={props.name} /> : <BindButton {...props} />;
}

/** Shows the bot's link, after a confirmation; what is bound is read when the dialog closes. */
function BotButton({ name }: { name: string }) {
  const { t } = useTranslation("personal");
  const client = useQueryClient();
  const [begun, setBegun] = useState<DataOf<typeof makeTelegramLink>>();
  const make = useMutation({
    mutationFn: () => withStepUp(() => call(makeTelegramLink, {})),
    onSuccess: (made) => setBegun(made ?? undefined),
    onError: (error) => toast.error(error, t("identities.notBound", { name })),
    meta: { showsOwnError: true },
  });
  const close = () => {
    setBegun(undefined);
    void client.invalidateQueries({ queryKey: bindingsQuery.queryKey });
  };
  return (
    <>
      <BusyButton
        isBusy={make.isPending}
        aria-label={t("identities.bindName", { name })}
        onClick={() => !make.isPending && make.mutate()}
      >
        {t("identities.bind")}
      </BusyButton>
      <Suspense fallback={null}>{begun && <TelegramBotDialog {...begun} onClose={close} />}</Suspense>
    </>
  );
}

/** Redirects to the other site's page, or asks here for what it needs. */
function BindButton({ way, name }: ActProps) {
  const { t } = useTranslation("personal");
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const onClick = async () => {
    const isHere = way.provider === "wechat" || way.provider === "telegram";
    setIsBusy(true);
    try {
      // What binds wants a confirmation; where the site asks here, it comes before the dialog, which would cover it.
      const begun = await withStepUp(async () => {
        if (!isHere) return goToPage(way.provider, { bind: true });
        await begin("", { bind: true });
        return true;
      });
      setIsOpen(isHere && begun === true);
      // Else the page is being left.
      if (!isHere && begun === true) return;
    } catch (error) {
      toast.error(error, t("identities.notBound", { name }));
    }
    setIsBusy(false);
  };
  const bindWechat = async (code: string) => {
    await call(wechatBindByPost, { body: { code } });
    setIsOpen(false);
    toast.success(t("identities.bound"));
    await client.invalidateQueries({ queryKey: bindingsQuery.queryKey });
  };
  const close = () => setIsOpen(false);
  return (
    <>
      <BusyButton isBusy={isBusy} aria-label={t("identities.bindName", { name })} onClick={() => void onClick()}>
        {t("identities.bind")}
      </BusyButton>
      <Suspense fallback={null}>
        {isOpen && way.provider === "wechat" && <WechatDialog onCode={bindWechat} onClose={close} />}
        {isOpen && way.provider === "telegram" && <TelegramDialog bind onClose={close} />}
      </Suspense>
    </>
  );
}

/** Asks first, and for the password where it was not confirmed lately. */
function UnbindButton({ way, name }: ActProps) {
  const { t } = useTranslation("personal");
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const act = async () => {
    setIsBusy(true);
    try {
      await call(unbind, { params: { provider: way.provider } });
      setIsAsking(false);
      toast.success(t("identities.unbound", { name }));
      await client.invalidateQueries({ queryKey: bindingsQuery.queryKey });
    } catch (error) {
      if (error instanceof ApiError && error.code === "step_up_required") setIsAsking(true);
      else toast.error(error, t("identities.notUnbound", { name }));
    } finally {
      setIsBusy(false);
    }
  };
  const ask = async () => {
    const question = {
      title: t("identities.unbindTitle", { name }),
      text: t("identities.unbindText", { name }),
      action: t("identities.unbindName", { name }),
    };
    if (await confirm(question)) await act();
  };
  return (
    <>
      <BusyButton isBusy={isBusy} aria-label={t("identities.unbindName", { name })} onClick={() => void ask()}>
        {t("identities.unbind")}
      </BusyButton>
      <Suspense fallback={null}>
        {isAsking && <StepUpDialog onConfirmed={() => void act()} onClose={() => setIsAsking(false)} />}
      </Suspense>
    </>
  );
}
