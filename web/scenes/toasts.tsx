/** Toasts and what raises them. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { getSetup } from "../../contract/src/features/setup.ts";
import { call } from "../src/lib/api.ts";
import { toast } from "../src/ui/feedback/toast-store.ts";

/** A button for each kind; the counted one says which of the actions was taken. */
export function Toasts() {
  const [count, setCount] = useState(0);
  const [taken, setTaken] = useState("none");
  const navigate = useNavigate();
  const fetching = useMutation({ mutationFn: () => call(getSetup, { query: {} }) });
  const succeed = () => {
    setCount(count + 1);
    toast.success(`Saved ${count + 1}`);
  };
  const stay = () =>
    toast.info("Channel disabled", { sticky: true, action: { label: "Undo", onClick: () => setTaken("undo") } });
  return (
    <main style={{ padding: 40, display: "flex", gap: 16 }}>
      <h1>Toasts</h1>
      <button type="button" onClick={() => void navigate({ to: "/toasts/Toasts/next" as never })}>
        Go on
      </button>
      <button type="button" onClick={succeed}>
        Succeed
      </button>
      <button type="button" onClick={() => toast.error(new Error("The disk is full."), "Not saved")}>
        Fail
      </button>
      <button type="button" onClick={() => toast.error(new TypeError("x is not a function"))}>
        Break
      </button>
      <button type="button" onClick={stay}>
        Stay
      </button>
      <button type="button" onClick={() => fetching.mutate()}>
        Call
      </button>
      <p>Taken: {taken}</p>
      <p>Answer: {fetching.status}</p>
    </main>
  );
}
