/** A page one part of which loads later, as editors and drawers do. */
import { lazy, Suspense, useState } from "react";

const Late = lazy(async () => ({ default: (await import("../src/ui/form/json-code-mirror.tsx")).JsonCodeMirror }));

export function Page() {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <main style={{ padding: 40 }}>
      <h1>Late part</h1>
      <button type="button" onClick={() => setIsOpen(!isOpen)}>
        Toggle
      </button>
      <Suspense fallback="Loading">
        {isOpen && (
          <Late labelledBy="none" value="there" onChange={() => undefined} errorLine={undefined} isInvalid={false} />
        )}
      </Suspense>
    </main>
  );
}
