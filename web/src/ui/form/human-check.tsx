/** Cloudflare Turnstile's widget (its client-side rendering documentation): loaded where a site asks for it, gives a token that counts once. */
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { Notice } from "../feedback/notice.tsx";

const SCRIPT_ADDRESS = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";

interface WidgetOptions {
  sitekey: string;
  theme: "light" | "dark";
  language: string;
  size: "flexible";
  callback: (token: string) => void;
  "expired-callback": () => void;
  "error-callback": () => void;
}

interface Turnstile {
  render(place: HTMLElement, options: WidgetOptions): string;
  remove(widgetId: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

let loading: Promise<Turnstile> | undefined;

/** Loads the script once for a page; a failed load may be tried again. */
function loadTurnstile(): Promise<Turnstile> {
  loading ??= new Promise<Turnstile>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SCRIPT_ADDRESS;
    script.async = true;
    script.onload = () =>
      window.turnstile === undefined ? reject(new Error("the script brought no widget")) : resolve(window.turnstile);
    script.onerror = () => reject(new Error("the script could not be loaded"));
    document.head.append(script);
  }).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

interface HumanCheckProps {
  siteKey: string;
  className: string | undefined;
  /** Called with the token, and with "" once it is no longer valid. */
  onToken: (token: string) => void;
}

export function HumanCheck({ siteKey, className, onToken }: HumanCheckProps) {
  const { t, language } = useTranslation("ui");
  const place = useRef<HTMLDivElement>(null);
  const [isAbsent, setIsAbsent] = useState(false);
  useEffect(() => {
    let end = () => {};
    let isGone = false;
    const show = (turnstile: Turnstile) => {
      if (isGone || place.current === null) return;
      const theme = document.documentElement.dataset["mantineColorScheme"] === "dark" ? "dark" : "light";
      const lose = () => onToken("");
      const id = turnstile.render(place.current, {
        sitekey: siteKey,
        theme,
        language: language,
        size: "flexible",
        callback: onToken,
        "expired-callback": lose,
        "error-callback": lose,
      });
      end = () => turnstile.remove(id);
    };
    loadTurnstile().then(show, () => setIsAbsent(true));
    return () => {
      isGone = true;
      onToken("");
      end();
    };
  }, [siteKey, onToken, language]);
  return isAbsent ? <Notice tone="red">{t("humanCheckAbsent")}</Notice> : <div ref={place} className={className} />;
}
