/** Dialogs of the kit with what opens them. */
import { useEffect, useState } from "react";
import { copyText } from "../src/lib/clipboard.ts";
import type { Conversation } from "../src/features/playground/model/conversation.ts";
import { ShareDialog } from "../src/features/playground/share-dialog.tsx";
import { RecoveryCodesDialog } from "../src/features/personal/security/recovery-codes.tsx";
import { loadTexts } from "../src/lib/i18n.ts";
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
  const [hasTexts, setHasTexts] = useState(false);
  useEffect(() => void loadTexts("step-up").then(() => setHasTexts(true)), []);
  return (
    <main style={{ padding: 40 }}>
      <h1>Step-up</h1>
      <button type="button" disabled={!hasTexts} onClick={() => setState("open")}>
        Show the key
      </button>
      <p role="status">{state}</p>
      {state === "open" && (
        <StepUpDialog onConfirmed={() => setState("confirmed")} onClose={() => setState("closed")} />
      )}
    </main>
  );
}

/** Recovery codes that are shown this once. */
export function Codes() {
  const [isOpen, setIsOpen] = useState(false);
  const [hasTexts, setHasTexts] = useState(false);
  useEffect(() => void loadTexts("personal").then(() => setHasTexts(true)), []);
  return (
    <main style={{ padding: 40 }}>
      <h1>Codes</h1>
      <button type="button" disabled={!hasTexts} onClick={() => setIsOpen(true)}>
        Make codes
      </button>
      {isOpen && <RecoveryCodesDialog codes={["ABCDE12345", "FGHIJ67890"]} onClose={() => setIsOpen(false)} />}
    </main>
  );
}

const CHAT: Conversation = {
  id: "chat",
  userId: 1,
  system: "",
  tools: "",
  updatedAt: 1,
  lanes: [
    {
      id: "lane",
      group: "default",
      model: "gpt-4o",
      messages: [{ id: "first", role: "user", content: "Explain it", createAt: 1, status: "complete" }],
    },
  ],
};

/** The dialog that shares a chat, which is the browser's own; tests answer `/api/chat/share`. */
export function Share() {
  const [isOpen, setIsOpen] = useState(false);
  const [hasTexts, setHasTexts] = useState(false);
  useEffect(() => void loadTexts("playground").then(() => setHasTexts(true)), []);
  return (
    <main style={{ padding: 40 }}>
      <h1>Chat</h1>
      <button type="button" disabled={!hasTexts} onClick={() => setIsOpen(true)}>
        Share
      </button>
      {isOpen && <ShareDialog conversation={CHAT} onClose={() => setIsOpen(false)} />}
    </main>
  );
}
