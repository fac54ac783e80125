/** Wrapper for pages that use data and Mantine components; loaded with the first of them. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect } from "react";
import { createQueryClient } from "../lib/query.ts";
import { Kit } from "../ui/kit.tsx";
import { toast } from "../ui/feedback/toast-store.ts";

const queryClient = createQueryClient((error) => toast.error(error));

/** What had the focus is gone with its page: without this, the next Tab would begin at the top of the window. */
function useFocusOfPage(): void {
  const router = useRouter();
  useLayoutEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return;
        document.getElementById("content")?.focus({ preventScroll: true });
      }),
    [router],
  );
}

export function DataAndKit({ children }: { children: ReactNode }) {
  useFocusOfPage();
  return (
    <Kit>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </Kit>
  );
}

/** The same as a pathless route. */
export const DataAndKitPages = () => (
  <DataAndKit>
    <Outlet />
  </DataAndKit>
);
