/** A paragraph, list, table or other part of Markdown that is no code, with its formulas. */
import { lazy, Suspense, use } from "react";
import { hasMath, mathText } from "./math-text.ts";
import { Parsed } from "./parsed.tsx";
import { Stored } from "./stored.ts";

const Formulas = lazy(async () => ({ default: (await import("./formulas.tsx")).Formulas }));

export function Words({ text }: { text: string }) {
  const isStored = use(Stored);
  const written = mathText(text);
  if (!hasMath(written)) return <Parsed text={written} />;
  if (isStored) return <Formulas text={written} />;
  return (
    <Suspense fallback={<Parsed text={text} />}>
      <Formulas text={written} />
    </Suspense>
  );
}
