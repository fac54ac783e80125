/** The root of every page: routes and dialogs. */
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { Dialogs } from "../ui/feedback/dialogs.tsx";
import { closeToastsOfPage } from "../ui/feedback/toast-store.ts";
import { createAppRouter } from "./router.tsx";

const router = createAppRouter();
router.subscribe("onBeforeNavigate", ({ pathChanged }) => pathChanged && closeToastsOfPage());

export const Providers = () => (
  <StrictMode>
    <RouterProvider router={router} />
    <Dialogs />
  </StrictMode>
);
