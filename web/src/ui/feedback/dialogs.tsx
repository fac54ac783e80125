/** What any code may open (a question, copying by hand, a toast); the parts load when first needed. */
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { onClipboardRefused } from "../../lib/clipboard.ts";
import { useQuestion } from "./confirm.ts";
import { shownToasts, subscribeToToasts } from "./toast-store.ts";

const Kit = lazy(async () => ({ default: (await import("../kit.tsx")).Kit }));
const Toasts = lazy(async () => ({ default: (await import("./toast.tsx")).Toasts }));
const ConfirmDialog = lazy(async () => ({ default: (await import("./confirm-dialog.tsx")).ConfirmDialog }));
const CopyDialog = lazy(async () => ({ default: (await import("./copy-dialog.tsx")).CopyDialog }));

/** Mounted once in the providers. */
export function Dialogs() {
  const { question, answer } = useQuestion();
  const { toasts, jobs } = useSyncExternalStore(subscribeToToasts, shownToasts);
  const hasToasts = toasts.length + jobs.length > 0;
  const [wasAsked, setWasAsked] = useState(false);
  const [text, setText] = useState<string>();
  useEffect(() => onClipboardRefused(setText), []);
  if (question !== undefined && !wasAsked) setWasAsked(true);
  return (
    <Suspense fallback={null}>
      {hasToasts && <Toasts />}
      {(wasAsked || text !== undefined) && (
        <Kit>
          <ConfirmDialog question={question} answer={answer} />
          {text !== undefined && <CopyDialog text={text} onClose={() => setText(undefined)} />}
        </Kit>
      )}
    </Suspense>
  );
}
