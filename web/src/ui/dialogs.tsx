/** The dialogs any code may open (a question, copying by hand); their parts load when first needed. */
import { lazy, Suspense, useEffect, useState } from "react";
import { onClipboardRefused } from "../lib/clipboard.ts";
import { useQuestion } from "./confirm.ts";

const Kit = lazy(async () => ({ default: (await import("./kit.tsx")).Kit }));
const ConfirmDialog = lazy(async () => ({ default: (await import("./confirm-dialog.tsx")).ConfirmDialog }));
const CopyDialog = lazy(async () => ({ default: (await import("./copy-dialog.tsx")).CopyDialog }));

/** Mounted once in the providers. */
export function Dialogs() {
  const { question, answer } = useQuestion();
  const [wasAsked, setWasAsked] = useState(false);
  const [text, setText] = useState<string>();
  useEffect(() => onClipboardRefused(setText), []);
  if (question !== undefined && !wasAsked) setWasAsked(true);
  return (
    <Suspense fallback={null}>
      {(wasAsked || text !== undefined) && (
        <Kit>
          <ConfirmDialog question={question} answer={answer} />
          {text !== undefined && <CopyDialog text={text} onClose={() => setText(undefined)} />}
        </Kit>
      )}
    </Suspense>
  );
}
