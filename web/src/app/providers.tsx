/** What every page stands in: routes, toasts and dialogs. */
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { Dialogs } from "../ui/dialogs.tsx";
import { Toasts } from "../ui/toast.tsx";
import { createAppRouter } from "./router.tsx";

const router = createAppRouter();

export const Providers = () => (
  <StrictMode>
    <RouterProvider router={router} />
    <Toasts />
    <Dialogs />
  </StrictMode>
);
