/** Entry point of the console: loads the texts, then renders routes and dialogs. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../lib/tokens.css";
import "../ui/base.css";
import { createRoot } from "react-dom/client";
import { startLanguages } from "../lib/i18n.ts";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { Dialogs } from "../ui/feedback/dialogs.tsx";
import { closeToastsOfPage } from "../ui/feedback/toast-store.ts";
import { createAppRouter } from "./router.tsx";

const router = createAppRouter();
router.subscribe("onBeforeNavigate", ({ pathChanged }) => pathChanged && closeToastsOfPage());

const Root = () => (
  <StrictMode>
    <RouterProvider router={router} />
    <Dialogs />
  </StrictMode>
);

const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no #root");
await startLanguages();
createRoot(place).render(<Root />);
