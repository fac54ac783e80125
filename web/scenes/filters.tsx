/** The filter row's parts and the range picker, each with what its holder has. */
import { useState } from "react";
import { ChoiceFilter, SearchFilter, TextFilter } from "../src/ui/data-table/filters.tsx";
import { RangePicker } from "../src/ui/time-range/range-picker.tsx";

const STATUSES = ["Enabled", "Disabled", "Expired"].map((text) => ({ value: text.toLowerCase(), text }));

/** A search, a choice and a free text; `Asked` is what a list would ask the server for, and how often it was called. */
export function Filters() {
  const [keyword, setKeyword] = useState("");
  const [status, setStatus] = useState<string>();
  const [model, setModel] = useState<string>();
  const [steps, setSteps] = useState<readonly string[]>([]);
  return (
    <main style={{ padding: 40 }}>
      <h1>Filters</h1>
      <div style={{ display: "flex", gap: 8 }}>
        <SearchFilter
          label="Name"
          value={keyword}
          onChange={(next, step) => {
            setKeyword(next);
            setSteps((old) => [...old, `${step}:${next}`]);
          }}
        />
        <ChoiceFilter label="Status" choices={STATUSES} value={status} onChange={setStatus} />
        <TextFilter
          label="Model"
          value={model}
          onChange={setModel}
          suggestions={["gpt-4o"]}
          hint="A part of the name is enough."
        />
      </div>
      <p>Asked: {JSON.stringify({ keyword, status, model })}</p>
      <p>Steps: {steps.join(" ")}</p>
    </main>
  );
}

const WORDS = { presets: "Periods", from: "From", to: "To", apply: "Apply" };
const PRESETS = [
  { id: "today", text: "Today" },
  { id: "week", text: "7 days" },
  { id: "month", text: "30 days" },
] as const;
type Preset = (typeof PRESETS)[number]["id"];

/** Refuses two days that lie the wrong way round. */
export function Range() {
  const [preset, setPreset] = useState<Preset | undefined>("week");
  const [bounds, setBounds] = useState({ from: "2026-11-01", to: "2026-11-08" });
  const text = PRESETS.find(({ id }) => id === preset)?.text ?? `${bounds.from} to ${bounds.to}`;
  const onBounds = (from: string, to: string) => {
    if (to < from) return "The end lies before the beginning.";
    setPreset(undefined);
    setBounds({ from, to });
    return undefined;
  };
  return (
    <main style={{ padding: 40 }}>
      <h1>Range</h1>
      <RangePicker
        text={text}
        words={{ ...WORDS, button: `Period: ${text}` }}
        presets={PRESETS}
        chosen={preset}
        onPreset={setPreset}
        precision="day"
        bounds={bounds}
        onBounds={onBounds}
        align="start"
      />
      <p>Chosen: {text}</p>
    </main>
  );
}
