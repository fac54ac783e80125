/** Wrapper for pages that use data and Mantine components; loaded with the first of them. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createQueryClient } from "../lib/query.ts";
import { Kit } from "../ui/kit.tsx";
import { toast } from "../ui/feedback/toast-store.ts";

const queryClient = createQueryClient((error) => toast.error(error));

export const DataAndKit = ({ children }: { children: ReactNode }) => (
  <Kit>
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  </Kit>
);

/** The same as a pathless route. */
export const DataAndKitPages = () => (
  <DataAndKit>
    <Outlet />
  </DataAndKit>
);
