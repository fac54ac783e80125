/** The root of every page: routes and dialogs. */
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { Dialogs } from "../ui/feedback/dialogs.tsx";
import { createAppRouter } from "./router.tsx";

const router = createAppRouter();

export const Providers = () => (
  <StrictMode>
    <RouterProvider router={router} />
    <Dialogs />
  </StrictMode>
);
