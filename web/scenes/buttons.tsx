/** Buttons of the kit, and what changes while they load. */
import { IconLanguage } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { BusyButton } from "../src/ui/busy-button.tsx";
import { ActButton } from "../src/features/playground/thread/act-button.tsx";
import { PanelBar } from "../src/ui/form/panel-bar.tsx";
import { IconButton, PlainButton, PlainPassword } from "../src/ui/plain.tsx";

/** One button in each look; pressing the last makes the others load. */
export function Loading() {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <main style={{ padding: 40, display: "flex", gap: 16, flexWrap: "wrap" }}>
      <h1>Buttons</h1>
      <BusyButton variant="filled" isBusy={isBusy}>
        Save token
      </BusyButton>
      <BusyButton variant="filled" data-tone="danger" isBusy={isBusy}>
        Delete token
      </BusyButton>
      <BusyButton isBusy={isBusy}>Test channel</BusyButton>
      <BusyButton size="xs" variant="default" isBusy={isBusy}>
        Check again
      </BusyButton>
      <PlainButton look="filled" isBusy={isBusy}>
        Log in
      </PlainButton>
      <button type="button" onClick={() => setIsBusy(!isBusy)}>
        Start
      </button>
    </main>
  );
}

/** Two buttons that are busy for ever once they are pressed, and how often they were. */
export function Pressed() {
  const [presses, setPresses] = useState<readonly string[]>([]);
  const press = (name: string) => () => setPresses([...presses, name]);
  return (
    <main style={{ padding: 40, display: "flex", gap: 16 }}>
      <h1>Presses</h1>
      <BusyButton variant="filled" isBusy={presses.includes("save")} onClick={press("save")}>
        Save token
      </BusyButton>
      <PlainButton look="filled" isBusy={presses.includes("log in")} onClick={press("log in")}>
        Log in
      </PlainButton>
      <p role="status">{presses.length} presses</p>
    </main>
  );
}

/** Controls that a press disables for good, and how often they were pressed. */
export function TurnedOff() {
  const [presses, setPresses] = useState<readonly string[]>([]);
  const press = (name: string) => () => setPresses([...presses, name]);
  return (
    <main style={{ padding: 40, display: "grid", gap: 16 }}>
      <h1>Turned off</h1>
      <ActButton
        icon={IconLanguage}
        label="Try again"
        isDisabled={presses.includes("again")}
        onClick={press("again")}
      />
      <PanelBar
        title="2 tables changed"
        text="Prices"
        action="Review"
        isBusy={presses.includes("discard")}
        onDiscard={press("discard")}
        onAct={press("act")}
      />
      <p role="status">{presses.length} presses</p>
    </main>
  );
}

/** Buttons without Mantine, handed a class and a ref, as a menu does with what opens it. */
export function Plain() {
  const [password, setPassword] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const icon = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  return (
    <main style={{ padding: 40, display: "grid", gap: 16, justifyItems: "start" }}>
      <h1>Plain buttons</h1>
      <IconButton ref={icon} className="from-outside" label="Language">
        <IconLanguage size={16} />
      </IconButton>
      <PlainButton ref={button} className="from-outside">
        Outline
      </PlainButton>
      <PlainPassword
        ref={field}
        className="from-outside"
        label="Password"
        toggleLabel="Show password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <button
        type="button"
        onClick={() => {
          document.title = [icon, button, field].map(({ current }) => current?.tagName ?? "none").join(" ");
        }}
      >
        Tell the refs
      </button>
    </main>
  );
}
