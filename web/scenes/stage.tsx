/** The stage on which tests/parts try parts of the console: /<file of this folder>/<its export> shows that scene as a page would. */
import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { type FunctionComponent, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../src/lib/tokens.css";
import "../src/ui/base.css";
import { DataAndKitPages } from "../src/app/data-and-kit.tsx";
import { RouteError } from "../src/app/route-error.tsx";
import { parseSearch, stringifySearch } from "../src/lib/address.ts";
import { startLanguages } from "../src/lib/i18n.ts";
import { Dialogs } from "../src/ui/feedback/dialogs.tsx";
import { closeToastsOfPage } from "../src/ui/feedback/toast-store.ts";

const files = import.meta.glob<Record<string, FunctionComponent>>(["./*.tsx", "!./stage.tsx"]);

async function sceneAt(path: string): Promise<FunctionComponent> {
  const [, file = "", name = ""] = path.split("/");
  const scene = (await files[`./${file}.tsx`]?.())?.[name];
  if (scene === undefined) throw new Error(`web/scenes/${file}.tsx has no scene ${name}`);
  return scene;
}

/** No `await` stands at the top of this file: a scene imports from this script, and would wait for its end. */
async function show(): Promise<void> {
  await startLanguages();
  const Scene = await sceneAt(location.pathname);
  const root = createRootRoute({ component: DataAndKitPages, errorComponent: RouteError });
  const page = createRoute({ getParentRoute: () => root, path: "$", component: Scene });
  const router = createRouter({ routeTree: root.addChildren([page]), parseSearch, stringifySearch });
  router.subscribe("onBeforeNavigate", ({ pathChanged }) => pathChanged && closeToastsOfPage());
  const place = document.getElementById("root");
  if (place === null) throw new Error("index.html has no #root");
  createRoot(place).render(
    <StrictMode>
      <RouterProvider router={router as never} />
      <Dialogs />
    </StrictMode>,
  );
}

void show();
