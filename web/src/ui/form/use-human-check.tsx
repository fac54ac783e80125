/** The human check of a form: its widget where the site asks for one, and the token that each sending uses up. */
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useStatus } from "../../lib/status.ts";
import styles from "./human-check.module.css";

/** Comes only to sites that ask for it. */
const HumanCheck = lazy(async () => ({ default: (await import("./human-check.tsx")).HumanCheck }));

interface Check {
  /** To be sent; "" where the site does not ask. */
  token: string;
  /** The visitor has to wait: nothing may be sent yet. */
  isPending: boolean;
  widget: ReactNode;
  /** A token counts once, so whatever was sent needs a new widget. */
  renew: () => void;
}

export function useHumanCheck(): Check {
  const { turnstile_check, turnstile_site_key } = useStatus();
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  return {
    token,
    isPending: turnstile_check && token === "",
    renew: () => setRound((before) => before + 1),
    widget: turnstile_check && (
      <Suspense fallback={<div className={styles.humanCheck} />}>
        <HumanCheck key={round} siteKey={turnstile_site_key} className={styles.humanCheck} onToken={setToken} />
      </Suspense>
    ),
  };
}
