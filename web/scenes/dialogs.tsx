/** Dialogs of the kit with what opens them. */
import { useState } from "react";
import { PasswordDialog } from "../src/ui/feedback/password-dialog.tsx";

/** Asks for the password; says when it was right. */
export function Password() {
  const [state, setState] = useState<"closed" | "open" | "confirmed">("closed");
  return (
    <main style={{ padding: 40 }}>
      <h1>Password</h1>
      <button type="button" onClick={() => setState("open")}>
        Show the key
      </button>
      <p role="status">{state}</p>
      {state === "open" && (
        <PasswordDialog onConfirmed={() => setState("confirmed")} onClose={() => setState("closed")} />
      )}
    </main>
  );
}
