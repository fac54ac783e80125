/** Dialogs of the kit with what opens them. */
import { useState } from "react";
import { copyText } from "../src/lib/clipboard.ts";
import { confirm } from "../src/ui/feedback/confirm.ts";
import { StepUpDialog } from "../src/ui/feedback/step-up-dialog.tsx";
import { toast } from "../src/ui/feedback/toast-store.ts";

/** Asks before an act, and says which answer came; copies where the browser refuses it. */
export function Asking() {
  const [answer, setAnswer] = useState("none");
  const ask = () =>
    void confirm({ title: "Delete the token?", action: "Delete token" }).then((isSure) =>
      setAnswer(isSure ? "deleted" : "kept"),
    );
  return (
    <main style={{ padding: 40 }}>
      <h1>Asking</h1>
      <button type="button" onClick={ask}>
        Delete
      </button>
      <button
        type="button"
        onClick={() => void copyText("sk-abc").then((isCopied) => setAnswer(isCopied ? "copied" : "not copied"))}
      >
        Copy
      </button>
      <button type="button" onClick={() => toast.success("Saved")}>
        Save
      </button>
      <p>Answer: {answer}</p>
    </main>
  );
}

/** Asks who it is; says when that was right. */
export function StepUp() {
  const [state, setState] = useState<"closed" | "open" | "confirmed">("closed");
  return (
    <main style={{ padding: 40 }}>
      <h1>Step-up</h1>
      <button type="button" onClick={() => setState("open")}>
        Show the key
      </button>
      <p role="status">{state}</p>
      {state === "open" && (
        <StepUpDialog onConfirmed={() => setState("confirmed")} onClose={() => setState("closed")} />
      )}
    </main>
  );
}
