/** The form drawer, opened by a button or by the address (?open=1), as lists do. */
import { TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { toast } from "../src/ui/feedback/toast-store.ts";
import { FormDrawer, FormSection } from "../src/ui/form/form-drawer.tsx";

const LATE_MS = 400;

function useAddress() {
  const search = useSearch({ strict: false }) as { open?: string };
  const navigate = useNavigate();
  const go = (open: string | undefined) => void navigate({ to: ".", search: { open } as never });
  return { isOpen: search.open !== undefined, open: () => go("1"), close: () => go(undefined) };
}

/** Saves after a moment; a name of "broken" throws, an empty one is refused by its field. */
export function Editor() {
  const { isOpen, open, close } = useAddress();
  return (
    <main style={{ padding: 40 }}>
      <h1>Tokens</h1>
      <button type="button" onClick={open}>
        Create
      </button>
      {isOpen && <Form onClose={close} />}
    </main>
  );
}

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  const submit = async () => {
    setError(name === "" ? "Enter a name" : undefined);
    if (name === "") return false;
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (name === "broken") throw new TypeError("x is undefined");
    toast.success(`Saved ${name}`);
    onClose();
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title="Create token"
      isDirty={name !== ""}
      submitLabel="Create token"
      onSubmit={submit}
    >
      <LateFields>
        <FormSection>
          <TextInput label="Name" value={name} error={error} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label="Note" />
        </FormSection>
      </LateFields>
    </FormDrawer>
  );
}

/** Fields whose data is fetched first. */
function LateFields({ children }: { children: React.ReactNode }) {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsThere(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isThere ? children : <p>Loading</p>;
}
