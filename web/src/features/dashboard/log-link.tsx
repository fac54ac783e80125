/** A link into the log, followed inside the page; a new tab works as with every link. */
import { IconArrowUpRight } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useCallback } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useMay, viewer } from "../../lib/viewer.ts";
import styles from "./log-link.module.css";
import type { View } from "./model/view.ts";

/** Goes to an address of the console. */
export function useOpen(): (href: string) => void {
  const router = useRouter();
  return useCallback((href) => router.history.push(href), [router]);
}

/** The user filter of the log, so that it shows what the dashboard counts. */
export function useLogUser(view: View): string | undefined {
  const isAdmin = useMay("logs");
  if (!isAdmin) return undefined;
  return view.isOwn ? viewer()?.username : view.username;
}

interface LogLinkProps {
  /** Undefined where the log has no filter for what is shown: it is plain text then. */
  href: string | undefined;
  children: ReactNode;
  className?: string | undefined;
  /** Where what is read does not say where it leads. */
  label?: string;
}

export function LogLink({ href, children, className, label }: LogLinkProps) {
  const open = useOpen();
  if (href === undefined) return children;
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(href);
  };
  return (
    <a href={href} className={className ?? styles.link} aria-label={label} title={label} onClick={onClick}>
      {children}
    </a>
  );
}

/** The small arrow beside a name that has a button of its own. */
export function LogArrow({ href, name }: { href: string | undefined; name: string }) {
  const { t } = useTranslation("dashboard");
  if (href === undefined) return null;
  return (
    <LogLink href={href} className={styles.arrow} label={t("log.open", { name })}>
      <IconArrowUpRight size={14} stroke={1.5} aria-hidden />
    </LogLink>
  );
}
