/** Text and buttons that copy on click, say so on hover and confirm in place. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { copyText } from "../../lib/clipboard.ts";
import { translate, useTranslation } from "../../lib/i18n.ts";
import { toast } from "../feedback/toast-store.ts";
import styles from "./copy.module.css";

const CONFIRM_MS = 1500;

type TextSource = string | (() => Promise<string> | string);

/** Copies and is `isCopied` for 1.5 s; `text` may be fetched first (a key that is not in the list), and a message says where that fails. */
export function useCopy(text: TextSource): { isCopied: boolean; copy: () => void } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      setIsCopied(await copyText(typeof text === "string" ? text : await text()));
    } catch (error) {
      toast.error(error, translate("ui:copy.notFetched"));
    }
  };
  return { isCopied, copy: () => void copy() };
}

/**
 * Text that copies when clicked. The icon shows on hover of the row (class `tp-row`) or always with `isIconShown`; where long text needs
 * its place (`isIconLate`), only to confirm.
 * @example <Copy text={key} label={t("copyKey")}><span className="mono">sk-Vx71…0aD4</span></Copy>
 */
export function Copy({
  text,
  label,
  children,
  isIconShown = false,
  isIconLate = false,
}: {
  text: TextSource;
  label?: string;
  children: ReactNode;
  isIconShown?: boolean;
  isIconLate?: boolean;
}) {
  const { t } = useTranslation("ui");
  const { isCopied, copy } = useCopy(text);
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <Tooltip label={isCopied ? t("copy.done") : (label ?? t("copy.hint"))}>
      <button
        type="button"
        className={styles.copy}
        onClick={(event) => {
          event.stopPropagation();
          copy();
        }}
      >
        <span className={styles.text}>{children}</span>
        {(isCopied || !isIconLate) && (
          <Icon
            size={14}
            stroke={1.5}
            className={`${styles.icon} tp-on-hover ${isCopied ? styles.done : ""}`}
            data-hidden={isIconShown || isCopied ? undefined : true}
            aria-hidden
          />
        )}
        <span aria-live="polite" className="tp-visually-hidden">
          {isCopied ? t("copy.done") : ""}
        </span>
      </button>
    </Tooltip>
  );
}

/** A copy button of its own; `label` names what is copied. */
export function CopyButton({ text, label }: { text: TextSource; label: string }) {
  const { t } = useTranslation("ui");
  const { isCopied, copy } = useCopy(text);
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <Tooltip label={isCopied ? t("copy.done") : label}>
      <ActionIcon variant="subtle" size={26} aria-label={label} onClick={copy}>
        <Icon size={15} stroke={1.5} className={isCopied ? styles.done : undefined} />
      </ActionIcon>
    </Tooltip>
  );
}
