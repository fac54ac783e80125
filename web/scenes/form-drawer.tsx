/** The form drawer, opened by a button or by the address (?open=1), as lists do. */
import { TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ModelsField } from "../src/features/channels/editor/models-field.tsx";
import { loadTexts } from "../src/lib/i18n.ts";
import { toast } from "../src/ui/feedback/toast-store.ts";
import { ChoiceSelect } from "../src/ui/form/choice-select.tsx";
import { Segmented, Toggle } from "../src/ui/form/fields.tsx";
import { FormDrawer, FormSection } from "../src/ui/form/form-drawer.tsx";
import { JsonEditor } from "../src/ui/form/json-editor.tsx";
import { LockedFields } from "../src/ui/form/locked-fields.tsx";
import { NamePicker } from "../src/ui/form/name-picker.tsx";
import { NumberField } from "../src/ui/form/number-field.tsx";

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

const NAMES = ["gpt-4o-audio", "gpt-4o-mini", "claude-haiku-4-5", "gpt-5"];

/** Boxes of chips in a drawer: one that takes only what it offers, one that takes any text. Says what was sent, and how often. */
export function Boxes() {
  const [sent, setSent] = useState("nothing");
  const [times, setTimes] = useState(0);
  const [chosen, setChosen] = useState<string[]>([]);
  const [models, setModels] = useState<readonly string[]>([]);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => void loadTexts("channels").then(() => setIsOpen(true)), []);
  const submit = () => {
    setSent(JSON.stringify({ chosen, models }));
    setTimes(times + 1);
  };
  return (
    <main>
      <h1>Boxes</h1>
      <p>Sent: {sent}</p>
      <p>Times: {times}</p>
      <FormDrawer
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title="Create token"
        isDirty={false}
        submitLabel="Create"
        onSubmit={submit}
      >
        <FormSection>
          <TextInput label="Name" />
          <NamePicker label="Allowed" data={NAMES} value={chosen} onChange={setChosen} />
          <ModelsField models={models} onChange={setModels} known={NAMES} />
        </FormSection>
      </FormDrawer>
    </main>
  );
}

/** A drawer with one field, as a login is: Enter sends it. */
export function Short() {
  const [sent, setSent] = useState(0);
  return (
    <main>
      <h1>Short</h1>
      <FormDrawer
        isOpen
        onClose={() => undefined}
        title="Short"
        isDirty={false}
        submitLabel="Send"
        onSubmit={() => setSent(sent + 1)}
        hint={`Sent ${sent}`}
      >
        <TextInput label="Code" />
      </FormDrawer>
    </main>
  );
}

const MAPPING = '{"gpt-4o": "gpt-4o-2024-11-20"}';

/** A drawer that can only be read, with a field of each kind; says what was changed all the same. */
export function Locked() {
  const [changes, setChanges] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => void loadTexts("channels").then(() => setIsOpen(true)), []);
  const change = () => setChanges((count) => count + 1);
  const options = [
    { value: "one", text: "One" },
    { value: "two", text: "Two" },
  ];
  return (
    <main>
      <h1>Locked</h1>
      <p>Changes: {changes}</p>
      <FormDrawer
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title="Locked"
        isDirty
        submitLabel="Save"
        isLocked
        onSubmit={change}
      >
        <p id="why">A file manages it.</p>
        <LockedFields isLocked reason="why">
          <FormSection>
            <TextInput label="Name" value="Main" onChange={change} />
            <NumberField label="Weight" value={3} onChange={change} />
            <Segmented label="Kind" options={options} value="one" onChange={change} />
            <ChoiceSelect label="Group" choices={options} value="one" onChange={change} />
            <Toggle isOn label="On" onChange={change} />
            <ModelsField models={NAMES} onChange={change} known={NAMES} />
            <JsonEditor label="Mapping" value={MAPPING} onChange={change} template="{}" />
          </FormSection>
        </LockedFields>
      </FormDrawer>
    </main>
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
