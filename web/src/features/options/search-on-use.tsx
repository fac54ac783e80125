/** The search over all settings before anybody uses it: the same field; what finds comes with the first use. */
import { type ComponentType, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { SearchInput } from "./search-input.tsx";

type Search = ComponentType<{ typed: string; hasFocus: boolean }>;

export function SearchOnUse() {
  const [text, setText] = useState("");
  const [loaded, setLoaded] = useState<{ Search: Search; hasFocus: boolean }>();
  const input = useRef<HTMLInputElement>(null);
  if (loaded !== undefined) return <loaded.Search typed={text} hasFocus={loaded.hasFocus} />;
  const load = async () => {
    const { SettingSearch } = await import("./setting-search.tsx");
    const hasFocus = document.activeElement === input.current;
    // At once, so that no key falls between the two.
    flushSync(() => setLoaded({ Search: SettingSearch, hasFocus }));
  };
  return (
    <SearchInput
      ref={input}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
    />
  );
}
