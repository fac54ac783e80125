/** Every part of forms that can have the focus, and their values in words. */
import { Button, Checkbox, PasswordInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Copy, CopyButton } from "../src/ui/display/copy.tsx";
import { ChoiceSelect } from "../src/ui/form/choice-select.tsx";
import { Field, FieldLink, Presets, Segmented, Toggle } from "../src/ui/form/fields.tsx";
import { JsonBoxOnUse, JsonEditor } from "../src/ui/form/json-editor.tsx";
import { NumberField } from "../src/ui/form/number-field.tsx";
import { PasswordRules } from "../src/ui/form/password-rules.tsx";
import { IconButton, PlainButton, PlainField } from "../src/ui/plain.tsx";

const GROUPS = ["default", "vip", "svip", "free", "team", "night", "batch", "edge", "lab", "cold", "warm"];
const PERIODS = ["day", "week", "month"] as const;

const Frame = ({ children }: { children: ReactNode }) => (
  <main style={{ padding: 24, display: "grid", gap: 14, width: 460, justifyItems: "start" }}>
    <h1 style={{ margin: 0 }}>Fields</h1>
    {children}
  </main>
);

/** Choices in more words than a phone is wide, in a row of an option. */
export function LongChoices() {
  const [rule, setRule] = useState("weight");
  const options = [
    { value: "weight", text: "By the weights that they have" },
    { value: "latency", text: "Least time to the first token" },
    { value: "cost", text: "Lowest upstream cost" },
  ];
  return (
    <main style={{ padding: 16, display: "flex" }}>
      <h1 className="tp-visually-hidden">Long choices</h1>
      <Segmented label="Rule" options={options} value={rule} onChange={setRule} />
    </main>
  );
}

/** The rules of a new password below its field. */
export function NewPassword() {
  const [password, setPassword] = useState("");
  return (
    <Frame>
      <PasswordInput label="Password" value={password} onChange={(event) => setPassword(event.currentTarget.value)} />
      <PasswordRules password={password} names={["maria"]} />
    </Frame>
  );
}

/** One of three by arrow keys. */
export function Periods() {
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>("week");
  const options = PERIODS.map((value) => ({ value, text: value }));
  return (
    <Frame>
      <button type="button">Before</button>
      <Segmented label="Period" options={options} value={period} onChange={setPeriod} />
      <p role="status">{period}</p>
    </Frame>
  );
}

/** A long list with a search, and a short one without. */
export function Groups() {
  const [group, setGroup] = useState("default");
  const [short, setShort] = useState("vip");
  const choices = GROUPS.map((name) => ({ value: name, text: name, side: "1×" }));
  return (
    <Frame>
      <ChoiceSelect label="Group" choices={choices} value={group} onChange={setGroup} />
      <ChoiceSelect label="Tier" choices={choices.slice(0, 3)} value={short} onChange={setShort} />
      <p role="status">
        {group} {short}
      </p>
    </Frame>
  );
}

/** Copying what is there, what is fetched first, and what cannot be fetched. */
export function Copies() {
  const fetched = (isThere: boolean) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (!isThere) throw new Error("The key could not be fetched.");
    return "sk-fetched";
  };
  return (
    <Frame>
      <Copy text="sk-plain" label="Copy the key">
        sk-pl…
      </Copy>
      <CopyButton text={fetched(true)} label="Copy fetched" />
      <CopyButton text={fetched(false)} label="Copy missing" />
    </Frame>
  );
}

/** JSON with a template, and an error of the form. */
export function Json() {
  const [text, setText] = useState('{"a":1}');
  return (
    <Frame>
      <button type="button">Before</button>
      <JsonEditor label="Mapping" value={text} onChange={setText} template={'{\n  "gpt-4o": "gpt-4o-mini"\n}'} />
      <button type="button">After</button>
      <pre role="status">{text}</pre>
    </Frame>
  );
}

/** JSON whose editor loads when it is used: a long line, an empty one, and one that breaks it. */
export function JsonOnUse() {
  const long = `{\n  "words": "${"many long words ".repeat(12)}",\n\n  "list": [1, -2.5e3, true, null]\n}`;
  const [text, setText] = useState(long);
  return (
    <Frame>
      <button type="button">Before</button>
      <span id="words-label">Words</span>
      <div style={{ width: "100%" }} data-box>
        <JsonBoxOnUse id="words" labelledBy="words-label" value={text} onChange={setText} isInvalid={false} />
      </div>
      <button type="button" onClick={() => setText(`${text},`)}>
        Break it
      </button>
      <pre role="status">{text}</pre>
    </Frame>
  );
}

/** Whole numbers between 1 and 100. */
export function Count() {
  const [count, setCount] = useState<number | undefined>(99);
  return (
    <Frame>
      <NumberField label="Count" value={count} onChange={setCount} min={1} max={100} />
      <p role="status">{count ?? "none"}</p>
    </Frame>
  );
}

/** All of them at once, for the ring around what has the focus. */
export function All() {
  const [value, setValue] = useState("default");
  const choices = GROUPS.map((name) => ({ value: name, text: name }));
  const segments = choices.slice(0, 3);
  return (
    <Frame>
      <TextInput label="Text" />
      <PasswordInput label="Password" />
      <PlainField label="Plain text" />
      <Select label="Select" data={GROUPS} />
      <TagsInput label="Tags" defaultValue={["one"]} />
      <NumberField label="Count" value={3} onChange={() => undefined} />
      <ChoiceSelect label="Group" choices={choices} value={value} onChange={setValue} />
      <ChoiceSelect isBare label="Bare" choices={choices} value={value} onChange={setValue} />
      <Segmented label="Segments" options={segments} value={value} onChange={setValue} />
      <Field label="Links" htmlFor="none" side={<FieldLink onClick={() => undefined}>Clear</FieldLink>}>
        <Presets label="Presets" options={segments} value={value} onPick={setValue} />
      </Field>
      <Toggle isOn label="On" onChange={() => undefined} />
      <Switch label="Switch" />
      <Checkbox label="Check" />
      <Copy text="copied">Copied text</Copy>
      <CopyButton text="copied" label="Copy" />
      <IconButton label="Icon">+</IconButton>
      <PlainButton>Plain</PlainButton>
      <PlainButton look="filled">Plain filled</PlainButton>
      <Button>Default</Button>
      <Button variant="filled">Filled</Button>
      <JsonEditor label="Mapping" value="{}" onChange={() => undefined} template="{}" />
    </Frame>
  );
}
