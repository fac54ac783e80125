/** A template filled for the viewer: asks for a token where it wants one, and for the viewer's consent to pass it on. */
import { useEffect, useRef, useState } from "react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import { carriesKey, receiverOfTemplate, usableChatLink } from "../../lib/chat-links.ts";
import { viewer } from "../../lib/viewer.ts";
import { mayReceive, usableToken } from "./key-use.ts";

/** `waiting`: being found out, or a question is open; `kept`: the viewer declined. */
export type LinkState =
  | { kind: "waiting" | "noToken" | "wrongLink" | "kept" }
  | { kind: "ready"; link: string }
  | { kind: "failed"; error: unknown };

async function linkFor(template: string, t: TFunction): Promise<LinkState> {
  const receiver = receiverOfTemplate(template);
  if (receiver === "") return { kind: "wrongLink" };
  if (!carriesKey(template)) return { kind: "ready", link: usableChatLink(template, "") ?? "" };
  // A visitor has no tokens to ask for.
  const token = viewer() === null ? undefined : await usableToken();
  if (token === undefined) return { kind: "noToken" };
  if (!(await mayReceive(receiver, token, t))) return { kind: "kept" };
  const link = usableChatLink(template, token.key);
  return link === undefined ? { kind: "wrongLink" } : { kind: "ready", link };
}

/** What becomes of the template, and how to try once more. @param template undefined where there is none */
export function useLink(template: string | undefined): { state: LinkState; retry: () => void } {
  const { t } = useTranslation("shell");
  const [state, setState] = useState<LinkState>({ kind: "waiting" });
  const [attempt, setAttempt] = useState(0);
  const words = useRef(t);
  useEffect(() => {
    if (template === undefined) return undefined;
    let isCurrent = true;
    const take = (next: LinkState): void => {
      if (isCurrent) setState(next);
    };
    take({ kind: "waiting" });
    linkFor(template, words.current).then(take, (error: unknown) => take({ kind: "failed", error }));
    return () => {
      isCurrent = false;
    };
  }, [template, attempt]);
  return { state, retry: () => setAttempt(attempt + 1) };
}
