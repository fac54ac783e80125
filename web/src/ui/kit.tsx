/** Mantine with our theme, around everything that uses its components. It loads with those pages; login and error pages work without it. */
import { MantineProvider } from "@mantine/core";
import "./mantine-styles.ts";
import { createContext, type ReactNode, useContext } from "react";
import { styleNonce } from "../lib/nonce.ts";
import { useScheme } from "../lib/scheme.ts";
import { noVariables, theme } from "../lib/theme.ts";
import "./controls.css";

// The scroll lock of dialogs writes a style element of its own; this global is where it looks for the nonce.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const InsideKit = createContext(false);

/** May be nested; only the outermost one has an effect. */
export function Kit({ children }: { children: ReactNode }) {
  const { scheme } = useScheme();
  if (useContext(InsideKit)) return children;
  return (
    <InsideKit value>
      <MantineProvider
        theme={theme}
        forceColorScheme={scheme}
        cssVariablesResolver={noVariables}
        getStyleNonce={styleNonce}
        deduplicateCssVariables
      >
        {children}
      </MantineProvider>
    </InsideKit>
  );
}
