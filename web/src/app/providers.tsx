/** What every page stands in: theme, data, routes, toasts and dialogs. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createQueryClient } from "../lib/query.ts";
import { noVariables, schemeManager, styleNonce, theme } from "../lib/theme.ts";
import { Dialogs } from "../ui/dialogs.tsx";
import { toast } from "../ui/toast-store.ts";
import { Toasts } from "../ui/toast.tsx";
import { createAppRouter } from "./router.tsx";

const queryClient = createQueryClient((error) => toast.error(error));
const router = createAppRouter(queryClient);

export function Providers() {
  return (
    <StrictMode>
      <MantineProvider theme={theme} colorSchemeManager={schemeManager} defaultColorScheme="auto" cssVariablesResolver={noVariables} getStyleNonce={styleNonce} deduplicateCssVariables>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Toasts />
          <Dialogs />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
