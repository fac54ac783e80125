/** Redeems a code, and leads to where codes can be bought. */
import { Button, TextInput } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import { ApiError } from "../../lib/api.ts";
import { formatQuota } from "../../lib/format.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useRedeem } from "./queries.ts";
import styles from "./wallet.module.css";

/** Opens the shop of the site in a new window, or says that there is none. */
function BuyCode({ link }: { link: string | undefined }) {
  const { t } = useTranslation("wallet");
  if (link === undefined || link === "")
    return <Button onClick={() => toast.info(t("redeem.noLink"))}>{t("redeem.buy")}</Button>;
  return (
    <Button
      component="a"
      href={link}
      target="_blank"
      rel="noreferrer"
      rightSection={<IconExternalLink size={14} stroke={1.5} />}
    >
      {t("redeem.buy")}
    </Button>
  );
}

export function RedeemCard({ wallet }: { wallet: WalletInfo | undefined }) {
  const { t } = useTranslation("wallet");
  const [code, setCode] = useState("");
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const redeem = useRedeem();
  const refuse = (sentence: string) => {
    setError(sentence);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (code.trim() === "") return refuse(t("redeem.missing"));
    setIsBusy(true);
    try {
      const quota = await redeem.mutateAsync(code);
      setCode("");
      toast.success(t("redeem.done"), t("redeem.added", { amount: formatQuota(quota) }));
    } catch (failure) {
      if (failure instanceof ApiError && failure.status !== 0) refuse(failure.message);
      else toast.error(failure, t("redeem.failed"));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Card title={t("redeem.title")} text={t("redeem.text")} action={<BuyCode link={wallet?.top_up_link} />}>
      <form className={styles.line} onSubmit={(event) => void submit(event)} noValidate>
        <TextInput
          ref={field}
          className={styles.grow ?? ""}
          classNames={{ input: "mono" }}
          aria-label={t("redeem.code")}
          placeholder={t("redeem.code")}
          value={code}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          error={error === "" ? undefined : error}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setError("");
          }}
        />
        <BusyButton type="submit" variant="filled" isBusy={isBusy}>
          {t("redeem.submit")}
        </BusyButton>
      </form>
    </Card>
  );
}
